using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("InputAnim.Check")]
