using System.Collections.Generic;
using InputAnim.Unity;
using UnityEditor;
using UnityEngine;

namespace InputAnim.Editor
{
    /// <summary>The Inspector of a recording: what it is, whether it is damaged, and a preview of its hands.</summary>
    [CustomEditor(typeof(InputRecording))]
    public sealed class InputRecordingInspector : UnityEditor.Editor
    {
        private const float RowHeight = 14f;
        private const float NameWidth = 110f;

        private static readonly Color On = new Color(0.25f, 0.6f, 0.9f);
        private static readonly Color Off = new Color(0.5f, 0.5f, 0.5f, 0.2f);
        private static readonly Color MarkerColor = new Color(0.95f, 0.65f, 0.15f);
        private static readonly Color Damage = new Color(0.85f, 0.25f, 0.2f);
        private static readonly Color Left = new Color(0.25f, 0.6f, 0.9f);
        private static readonly Color Right = new Color(0.3f, 0.75f, 0.4f);

        private readonly List<HandDrawing.Line> lines = new List<HandDrawing.Line>();
        private Recording recording;
        private Sampler sampler;
        private SamplerCursor cursor;
        private Frame frame;
        private HandDrawing.Bounds bounds;
        private List<Finding> findings;
        private RecordingFormatException error;
        private bool areMarkersShown;
        private bool isPlaying;
        private double lastTime;
        private float time;

        /// <summary>Shows the recording.</summary>
        public override void OnInspectorGUI()
        {
            // The Inspector of an imported asset is disabled otherwise.
            GUI.enabled = true;
            if (recording == null && error == null)
            {
                Load();
            }
            string path = AssetDatabase.GetAssetPath(target);
            if (error != null)
            {
                EditorGUILayout.HelpBox(error.Message, MessageType.Error);
                EditorGUILayout.SelectableLabel(error.Advice(path));
            }
            if (recording == null)
            {
                return;
            }
            ShowFacts();
            ShowFindings(path);
            ShowTimeline();
            ShowMarkers();
        }

        private void Load()
        {
            try
            {
                recording = ((InputRecording)target).Read();
                findings = Doctor.Examine(recording);
                sampler = new Sampler(recording);
                cursor = new SamplerCursor();
                frame = new Frame();
                bounds = HandDrawing.BoundsOf(sampler);
            }
            catch (RecordingFormatException caught)
            {
                error = caught;
            }
        }

        private void ShowFacts()
        {
            EditorGUILayout.LabelField("Layout", recording.Layout.Name());
            EditorGUILayout.LabelField(" ", recording.Layout.Description());
            EditorGUILayout.LabelField("Size", ((InputRecording)target).Bytes.Length + " bytes, " + recording.KeyCount + " keys");
            EditorGUILayout.LabelField("Duration", recording.Duration.ToString("0.000") + " s");
            EditorGUILayout.LabelField("Streams", StreamsOf(recording));
        }

        /// <summary>Returns the streams that have keys.</summary>
        internal static string StreamsOf(Recording recording)
        {
            List<string> streams = new List<string>();
            Add(recording, "head", CurveNumbers.Head, CurveNumbers.States, streams);
            Add(recording, "left hand", CurveNumbers.LeftHand, CurveNumbers.RightHand, streams);
            Add(recording, "right hand", CurveNumbers.RightHand, CurveNumbers.Gaze, streams);
            Add(recording, "gaze", CurveNumbers.Gaze, CurveNumbers.Count, streams);
            return streams.Count == 0 ? "none" : string.Join(", ", streams.ToArray());
        }

        private static void Add(Recording recording, string name, int from, int to, List<string> streams)
        {
            for (int curve = from; curve < to; curve++)
            {
                if (recording[curve] != null && recording[curve].Count > 0)
                {
                    streams.Add(name);
                    return;
                }
            }
        }

        private void ShowFindings(string path)
        {
            if (findings.Count == 0)
            {
                EditorGUILayout.HelpBox("No damage of the kinds D1 to D4 was found.", MessageType.Info);
                return;
            }
            foreach (Finding finding in findings)
            {
                EditorGUILayout.HelpBox(finding + "\n" + finding.Effect, MessageType.Warning);
                // The text can be copied.
                EditorGUILayout.SelectableLabel(finding.Command(path));
            }
        }

        private void ShowTimeline()
        {
            if (recording.Duration <= 0f)
            {
                return;
            }
            for (int state = CurveNumbers.States; state < CurveNumbers.LeftHand; state++)
            {
                Rect row = NextRow(CurveNumbers.Name(state));
                EditorGUI.DrawRect(row, Off);
                foreach (TimeRange range in Doctor.RangesOn(recording, state))
                {
                    EditorGUI.DrawRect(Part(row, range.Start, range.End), On);
                }
            }
            Rect damage = NextRow("damage");
            EditorGUI.DrawRect(damage, Off);
            foreach (Finding finding in findings)
            {
                foreach (TimeRange range in finding.Ranges)
                {
                    EditorGUI.DrawRect(Part(damage, range.Start, range.End), Damage);
                }
            }
            Rect markers = NextRow("markers");
            foreach (Marker marker in recording.Markers)
            {
                EditorGUI.DrawRect(Part(markers, marker.Time, marker.Time), MarkerColor);
            }
            time = EditorGUILayout.Slider("Preview at", time, 0f, recording.Duration);
        }

        private static Rect NextRow(string name)
        {
            Rect row = GUILayoutUtility.GetRect(100f, RowHeight);
            GUI.Label(new Rect(row.x, row.y, NameWidth, row.height), name);
            return new Rect(row.x + NameWidth, row.y + 1f, row.width - NameWidth, row.height - 2f);
        }

        /// <summary>Returns the part of a row for a time range, at least two pixels wide.</summary>
        private Rect Part(Rect row, float start, float end)
        {
            float from = row.x + row.width * Mathf.Clamp01(start / recording.Duration);
            float to = row.x + row.width * Mathf.Clamp01(end / recording.Duration);
            return new Rect(from, row.y, Mathf.Max(to - from, 2f), row.height);
        }

        private void ShowMarkers()
        {
            if (recording.Markers.Count == 0)
            {
                return;
            }
            areMarkersShown = EditorGUILayout.Foldout(areMarkersShown, recording.Markers.Count + " markers");
            if (!areMarkersShown)
            {
                return;
            }
            foreach (Marker marker in recording.Markers)
            {
                EditorGUILayout.LabelField(marker.Time.ToString("0.000") + " s", marker.Name);
            }
        }

        /// <summary>Returns true if there are hands to show.</summary>
        public override bool HasPreviewGUI()
        {
            if (recording == null && error == null)
            {
                Load();
            }
            return sampler != null;
        }

        /// <summary>Returns the title of the preview.</summary>
        public override GUIContent GetPreviewTitle()
        {
            return new GUIContent("Hands at " + time.ToString("0.00") + " s");
        }

        /// <summary>Shows the button that plays the preview.</summary>
        public override void OnPreviewSettings()
        {
            bool wasPlaying = isPlaying;
            isPlaying = GUILayout.Toggle(isPlaying, "Play", EditorStyles.toolbarButton);
            if (isPlaying && !wasPlaying)
            {
                lastTime = EditorApplication.timeSinceStartup;
            }
        }

        /// <summary>Returns true while the preview plays.</summary>
        public override bool RequiresConstantRepaint()
        {
            return isPlaying;
        }

        /// <summary>Draws the bones of both hands, with x to the right and y up.</summary>
        public override void OnPreviewGUI(Rect r, GUIStyle background)
        {
            if (sampler == null || Event.current.type != EventType.Repaint)
            {
                return;
            }
            if (isPlaying && recording.Duration > 0f)
            {
                double now = EditorApplication.timeSinceStartup;
                time = Mathf.Repeat(time + (float)(now - lastTime), recording.Duration);
                lastTime = now;
            }
            sampler.Read(time, cursor, frame);
            lines.Clear();
            HandDrawing.AddLines(frame, bounds, lines);
            float size = Mathf.Min(r.width, r.height);
            Vector2 corner = new Vector2(r.x + (r.width - size) / 2f, r.y + (r.height - size) / 2f);
            Handles.BeginGUI();
            foreach (HandDrawing.Line line in lines)
            {
                Handles.color = line.Side == Side.Left ? Left : Right;
                Handles.DrawAAPolyLine(
                    3f,
                    new Vector3(corner.x + line.FromX * size, corner.y + line.FromY * size, 0f),
                    new Vector3(corner.x + line.ToX * size, corner.y + line.ToY * size, 0f));
            }
            Handles.EndGUI();
        }
    }
}
