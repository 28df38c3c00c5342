// Declarations of NUnit and of Unity's test framework for tests without Unity: see README.md.
using System;

namespace NUnit.Framework
{
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class TestAttribute : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Method)]
    public sealed class SetUpAttribute : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Method)]
    public sealed class TearDownAttribute : Attribute
    {
    }

    public static class Assert
    {
        public static void IsTrue(bool condition)
        {
            if (!condition)
            {
                throw new InvalidOperationException("expected true");
            }
        }

        public static void AreEqual(object expected, object actual)
        {
            if (!Equals(expected, actual))
            {
                throw new InvalidOperationException("expected " + expected + ", found " + actual);
            }
        }

        public static void AreEqual(double expected, double actual, double delta)
        {
            if (!(Math.Abs(expected - actual) <= delta))
            {
                throw new InvalidOperationException("expected " + expected + ", found " + actual);
            }
        }
    }
}

namespace UnityEngine.TestTools
{
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class UnityTestAttribute : Attribute
    {
    }
}
