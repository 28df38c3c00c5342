namespace InputAnim
{
    /// <summary>
    /// Bounds on what a reader accepts. The default accepts two hands at 60 Hz for hours, as the program
    /// <c>inputanim</c> does.
    /// </summary>
    public sealed class Limits
    {
        /// <summary>The maximum size of a file in bytes.</summary>
        public long MaxBytes = 4L << 30;
        /// <summary>The maximum number of keys over all curves.</summary>
        public long MaxKeys = 512L << 20;
        /// <summary>The maximum number of markers.</summary>
        public long MaxMarkers = 1L << 20;
    }
}
