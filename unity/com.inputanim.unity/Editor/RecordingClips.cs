using System;
using System.Collections.Generic;
using InputAnim.Unity;
using UnityEditor;
using UnityEngine;

namespace InputAnim.Editor
{
    /// <summary>Converts recordings to animation clips and back.</summary>
    /// <remarks>
    /// The properties have the names of an importer that was proposed for MRTK and never released:
    /// <c>cameraPose.position.x</c>, <c>leftHand.isTracked</c>, <c>leftHand.jointIndexTip.rotation.w</c>. The names of the
    /// gaze are ours. Markers are events that call <c>OnInputMarker</c>. Keys keep all of their fields.
    /// </remarks>
    public static class RecordingClips
    {
        /// <summary>The function that the events of a clip call.</summary>
        public const string MarkerFunction = "OnInputMarker";

        /// <summary>The weight with which MRTK makes a state hold until the next key.</summary>
        private const float HoldingWeight = 1e6f;

        /// <summary>Returns the name of the property of a curve.</summary>
        public static string PropertyOf(int curve)
        {
            string name = CurveNumbers.Name(curve);
            int point = name.IndexOf('.');
            string first = name.Substring(0, point);
            string rest = name.Substring(point + 1);
            switch (first)
            {
                case "head":
                    return "cameraPose." + rest;
                case "gaze":
                    return name;
                default:
                    string hand = first + "Hand.";
                    return hand + (rest == "tracked" ? "isTracked" : rest == "pinching" ? "isPinching" : "joint" + rest);
            }
        }

        /// <summary>Returns the binding of a curve: a property of <see cref="InputAnimationTarget"/> on the root object.</summary>
        public static EditorCurveBinding BindingOf(int curve)
        {
            string property = PropertyOf(curve);
            return CurveNumbers.IsState(curve)
                ? EditorCurveBinding.DiscreteCurve("", typeof(InputAnimationTarget), property)
                : EditorCurveBinding.FloatCurve("", typeof(InputAnimationTarget), property);
        }

        /// <summary>Returns a clip with the curves and the markers of a recording.</summary>
        /// <exception cref="RecordingFormatException">The time of a key is NaN, which no curve of Unity can have.</exception>
        public static AnimationClip ToClip(Recording recording)
        {
            // Checks the times of all keys.
            Sampler sampler = new Sampler(recording);
            AnimationClip clip = new AnimationClip();
            for (int number = 0; number < CurveNumbers.Count; number++)
            {
                Curve curve = recording[number];
                if (curve != null && curve.Count > 0)
                {
                    AnimationUtility.SetEditorCurve(clip, BindingOf(number), ToUnity(curve));
                }
            }
            List<AnimationEvent> events = new List<AnimationEvent>();
            foreach (Marker marker in sampler.Markers)
            {
                // A clip has no events outside of its time.
                if (marker.Time >= 0f && marker.Time <= recording.Duration)
                {
                    AnimationEvent next = new AnimationEvent();
                    next.time = marker.Time;
                    next.functionName = MarkerFunction;
                    next.stringParameter = marker.Name;
                    next.messageOptions = SendMessageOptions.DontRequireReceiver;
                    events.Add(next);
                }
            }
            AnimationUtility.SetAnimationEvents(clip, events.ToArray());
            return clip;
        }

        /// <summary>Returns the curve with the same keys and wrap modes.</summary>
        internal static AnimationCurve ToUnity(Curve curve)
        {
            Keyframe[] keys = new Keyframe[curve.Count];
            for (int index = 0; index < keys.Length; index++)
            {
                CurveKey key = curve[index];
                if (curve.Form == KeyForm.Boolean)
                {
                    key.Value = key.Value > 0.5f ? 1f : 0f;
                    key.OutWeight = HoldingWeight;
                }
                keys[index] = new Keyframe(
                    key.Time, key.Value, key.InTangent, key.OutTangent, key.InWeight, key.OutWeight);
                keys[index].weightedMode = (WeightedMode)key.WeightedMode;
            }
            AnimationCurve result = new AnimationCurve(keys);
            result.preWrapMode = (WrapMode)curve.PreWrap;
            result.postWrapMode = (WrapMode)curve.PostWrap;
            return result;
        }

        /// <summary>
        /// Returns the recording of a clip, in a layout that MRTK loads if possible: mrtk-1.1 if all keys are linear, else
        /// mrtk-1.0 if the clip has no gaze, else mixed-1.1-full-with-markers, which MRTK does not load. Adds the properties
        /// that a recording cannot hold to the list.
        /// </summary>
        public static Recording FromClip(AnimationClip clip, List<string> ignored)
        {
            Dictionary<string, int> numbers = new Dictionary<string, int>();
            for (int number = 0; number < CurveNumbers.Count; number++)
            {
                numbers.Add(PropertyOf(number), number);
            }
            AnimationCurve[] found = new AnimationCurve[CurveNumbers.Count];
            foreach (EditorCurveBinding binding in AnimationUtility.GetCurveBindings(clip))
            {
                int number;
                // Clips of other importers with these names have another type.
                if (numbers.TryGetValue(binding.propertyName, out number) && found[number] == null)
                {
                    found[number] = AnimationUtility.GetEditorCurve(clip, binding);
                }
                else
                {
                    ignored.Add(binding.path + ":" + binding.propertyName);
                }
            }
            Streams streams = StreamsOf(found);
            bool isLinear = IsLinear(found);
            bool hasGaze = (streams & Streams.Gaze) != 0;
            Layout layout = isLinear ? Layout.Mrtk11 : hasGaze ? Layout.FullWithMarkers11 : Layout.Mrtk10;
            Recording recording = new Recording(layout, streams);
            for (int number = 0; number < CurveNumbers.Count; number++)
            {
                if (found[number] != null)
                {
                    Copy(found[number], recording[number]);
                }
            }
            foreach (AnimationEvent marker in AnimationUtility.GetAnimationEvents(clip))
            {
                recording.Markers.Add(new Marker(marker.time, marker.stringParameter ?? ""));
            }
            return recording;
        }

        private static Streams StreamsOf(AnimationCurve[] curves)
        {
            Streams streams = Streams.None;
            for (int number = 0; number < curves.Length; number++)
            {
                if (curves[number] != null)
                {
                    streams |= number < CurveNumbers.States ? Streams.Head
                        : number < CurveNumbers.Gaze ? Streams.Hands : Streams.Gaze;
                }
            }
            return streams;
        }

        /// <summary>Returns true if no key has tangents or weights that the layout of MRTK 1.1 would lose.</summary>
        private static bool IsLinear(AnimationCurve[] curves)
        {
            for (int number = 0; number < curves.Length; number++)
            {
                if (curves[number] == null || CurveNumbers.IsState(number))
                {
                    continue;
                }
                foreach (Keyframe key in curves[number].keys)
                {
                    bool isPlain = key.inTangent == 0f && key.outTangent == 0f && key.inWeight == 0f && key.outWeight == 0f
                        && key.weightedMode == WeightedMode.Both;
                    if (!isPlain)
                    {
                        return false;
                    }
                }
            }
            return true;
        }

        private static void Copy(AnimationCurve from, Curve to)
        {
            to.PreWrap = (int)from.preWrapMode;
            to.PostWrap = (int)from.postWrapMode;
            foreach (Keyframe key in from.keys)
            {
                CurveKey copy = default(CurveKey);
                copy.Time = key.time;
                copy.Value = key.value;
                copy.InTangent = key.inTangent;
                copy.OutTangent = key.outTangent;
                copy.InWeight = key.inWeight;
                copy.OutWeight = key.outWeight;
                copy.WeightedMode = (int)key.weightedMode;
                to.Add(copy);
            }
        }
    }
}
