using System;

namespace InputAnim
{
    /// <summary>The layout of a file (docs/format.md, section 3.2). MRTK loads the first two.</summary>
    public enum Layout
    {
        /// <summary>Version 1.0 as MRTK 2.0 to 2.5 write it.</summary>
        Mrtk10,
        /// <summary>Version 1.1 as MRTK 2.6 to 2.8 write it.</summary>
        Mrtk11,
        /// <summary>Version 1.0 as the published specification has it.</summary>
        Documented10,
        /// <summary>Version 1.1 as the published specification has it.</summary>
        Documented11,
        /// <summary>Version 1.1 with simple keys and no marker list.</summary>
        SimpleWithoutMarkers11,
        /// <summary>Version 1.1 with full keys and a marker list.</summary>
        FullWithMarkers11,
    }

    /// <summary>The form of the keys of a curve.</summary>
    public enum KeyForm
    {
        /// <summary>Time and value: 8 bytes. Linear between keys.</summary>
        Simple,
        /// <summary>Time, value, tangents, weights and mode: 28 bytes.</summary>
        Full,
        /// <summary>Time and state: 8 bytes. A state holds until the next key.</summary>
        Boolean,
    }

    /// <summary>The properties of layouts.</summary>
    public static class LayoutProperties
    {
        private static readonly string[] Names =
        {
            "mrtk-1.0",
            "mrtk-1.1",
            "documented-1.0",
            "documented-1.1",
            "mixed-1.1-simple-no-markers",
            "mixed-1.1-full-with-markers",
        };

        private static readonly string[] Descriptions =
        {
            "full keys, markers; MRTK 2.0 to 2.5 write it, 2.0 to 2.8 load it",
            "simple keys, markers; MRTK 2.6 to 2.8 write and load it",
            "full keys, no markers; as documented, MRTK does not load it",
            "full keys, no markers; as documented, MRTK does not load it",
            "simple keys, no markers; no known writer, MRTK does not load it",
            "full keys, markers; no known writer, MRTK does not load it",
        };

        /// <summary>Returns the name, such as <c>mrtk-1.1</c>, which the program <c>inputanim</c> uses too.</summary>
        public static string Name(this Layout layout)
        {
            return Names[(int)layout];
        }

        /// <summary>Returns a line for people: the contents, the writers, and whether MRTK loads the layout.</summary>
        public static string Description(this Layout layout)
        {
            return Descriptions[(int)layout];
        }

        /// <summary>Returns true for version 1.1, which has flags for its streams and can have gaze.</summary>
        public static bool HasFlags(this Layout layout)
        {
            return layout != Layout.Mrtk10 && layout != Layout.Documented10;
        }

        /// <summary>Returns true if the layout ends with a marker list.</summary>
        public static bool HasMarkers(this Layout layout)
        {
            return layout == Layout.Mrtk10 || layout == Layout.Mrtk11 || layout == Layout.FullWithMarkers11;
        }

        /// <summary>Returns the form of the keys of poses and gaze.</summary>
        public static KeyForm Form(this Layout layout)
        {
            bool isSimple = layout == Layout.Mrtk11 || layout == Layout.SimpleWithoutMarkers11;
            return isSimple ? KeyForm.Simple : KeyForm.Full;
        }

        /// <summary>Returns the size of a key in bytes.</summary>
        public static int Size(this KeyForm form)
        {
            return form == KeyForm.Full ? 28 : 8;
        }

        /// <summary>Returns the name of the form for messages.</summary>
        public static string Name(this KeyForm form)
        {
            switch (form)
            {
                case KeyForm.Full: return "full";
                case KeyForm.Simple: return "simple";
                default: return "boolean";
            }
        }
    }
}
