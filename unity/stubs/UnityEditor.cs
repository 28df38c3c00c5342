// Declarations of UnityEditor for tests without Unity: see README.md.
using System;
using System.Collections.Generic;
using UnityEngine;

namespace UnityEditor
{
    /// <summary>What the functions of the editor were asked to show.</summary>
    public static class Recorded
    {
        public static readonly List<string> Shown = new List<string>();

        internal static void Add(string kind, string text)
        {
            Shown.Add(kind + ": " + text);
        }
    }

    public class Editor : UnityEngine.Object
    {
        public UnityEngine.Object target { get; set; }

        public virtual void OnInspectorGUI()
        {
        }

        public virtual bool HasPreviewGUI()
        {
            return false;
        }

        public virtual GUIContent GetPreviewTitle()
        {
            return null;
        }

        public virtual void OnPreviewSettings()
        {
        }

        public virtual void OnPreviewGUI(Rect r, GUIStyle background)
        {
        }

        public virtual bool RequiresConstantRepaint()
        {
            return false;
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class CustomEditor : Attribute
    {
        public CustomEditor(Type inspectedType)
        {
        }
    }

    [AttributeUsage(AttributeTargets.Method)]
    public sealed class MenuItem : Attribute
    {
        public MenuItem(string itemName)
        {
        }

        public MenuItem(string itemName, bool isValidateFunction)
        {
        }
    }

    public static class Selection
    {
        public static UnityEngine.Object activeObject { get; set; }
    }

    public static class EditorUtility
    {
        public static string SaveFilePanel(string title, string directory, string defaultName, string extension)
        {
            return "";
        }
    }

    public static class EditorApplication
    {
        public static double timeSinceStartup
        {
            get { return 0.0; }
        }
    }

    public static class AssetDatabase
    {
        internal static string Path = "Assets/take.inputanim";

        public static string GetAssetPath(UnityEngine.Object asset)
        {
            return Path;
        }

        public static string[] FindAssets(string filter)
        {
            return new string[0];
        }

        public static string GUIDToAssetPath(string guid)
        {
            return "";
        }

        public static T LoadAssetAtPath<T>(string path) where T : UnityEngine.Object
        {
            return null;
        }
    }

    public enum MessageType
    {
        None,
        Info,
        Warning,
        Error,
    }

    public static class EditorStyles
    {
        public static GUIStyle toolbarButton
        {
            get { return new GUIStyle(); }
        }
    }

    public static class EditorGUI
    {
        public static void DrawRect(Rect rect, Color color)
        {
            Recorded.Add("rect", rect.x + " " + rect.width);
        }
    }

    public static class EditorGUILayout
    {
        public static void LabelField(string label, string label2, params GUILayoutOption[] options)
        {
            Recorded.Add(label, label2);
        }

        public static void HelpBox(string message, MessageType type)
        {
            Recorded.Add(type.ToString(), message);
        }

        public static void SelectableLabel(string text, params GUILayoutOption[] options)
        {
            Recorded.Add("command", text);
        }

        public static bool Foldout(bool foldout, string content)
        {
            Recorded.Add("foldout", content);
            return true;
        }

        public static float Slider(string label, float value, float leftValue, float rightValue, params GUILayoutOption[] options)
        {
            return value;
        }
    }

    public static class Handles
    {
        public static Color color { get; set; }

        public static void BeginGUI()
        {
        }

        public static void EndGUI()
        {
        }

        public static void DrawAAPolyLine(float width, params Vector3[] points)
        {
            Recorded.Add("line", points.Length.ToString());
        }
    }

    public struct EditorCurveBinding
    {
        public string path;
        public string propertyName;
        internal Type Type;

        public static EditorCurveBinding FloatCurve(string inPath, Type inType, string inPropertyName)
        {
            EditorCurveBinding binding = default(EditorCurveBinding);
            binding.path = inPath;
            binding.propertyName = inPropertyName;
            binding.Type = inType;
            return binding;
        }

        public static EditorCurveBinding DiscreteCurve(string inPath, Type inType, string inPropertyName)
        {
            return FloatCurve(inPath, inType, inPropertyName);
        }
    }

    public static class AnimationUtility
    {
        private static readonly Dictionary<AnimationClip, List<KeyValuePair<EditorCurveBinding, AnimationCurve>>> Curves =
            new Dictionary<AnimationClip, List<KeyValuePair<EditorCurveBinding, AnimationCurve>>>();

        private static readonly Dictionary<AnimationClip, AnimationEvent[]> Events =
            new Dictionary<AnimationClip, AnimationEvent[]>();

        private static List<KeyValuePair<EditorCurveBinding, AnimationCurve>> Of(AnimationClip clip)
        {
            List<KeyValuePair<EditorCurveBinding, AnimationCurve>> found;
            if (!Curves.TryGetValue(clip, out found))
            {
                found = new List<KeyValuePair<EditorCurveBinding, AnimationCurve>>();
                Curves.Add(clip, found);
            }
            return found;
        }

        public static void SetEditorCurve(AnimationClip clip, EditorCurveBinding binding, AnimationCurve curve)
        {
            Of(clip).Add(new KeyValuePair<EditorCurveBinding, AnimationCurve>(binding, curve));
        }

        public static AnimationCurve GetEditorCurve(AnimationClip clip, EditorCurveBinding binding)
        {
            return Of(clip).Find(pair => pair.Key.propertyName == binding.propertyName).Value;
        }

        public static EditorCurveBinding[] GetCurveBindings(AnimationClip clip)
        {
            return Of(clip).ConvertAll(pair => pair.Key).ToArray();
        }

        public static void SetAnimationEvents(AnimationClip clip, AnimationEvent[] events)
        {
            Events[clip] = events;
        }

        public static AnimationEvent[] GetAnimationEvents(AnimationClip clip)
        {
            AnimationEvent[] events;
            return Events.TryGetValue(clip, out events) ? events : new AnimationEvent[0];
        }
    }
}

namespace UnityEditor.AssetImporters
{
    [AttributeUsage(AttributeTargets.Class)]
    public sealed class ScriptedImporterAttribute : Attribute
    {
        public ScriptedImporterAttribute(int version, string[] exts, string[] overrideExts)
        {
        }
    }

    public abstract class ScriptedImporter : UnityEngine.Object
    {
        public abstract void OnImportAsset(AssetImportContext ctx);
    }

    public sealed class AssetImportContext
    {
        internal readonly Dictionary<string, UnityEngine.Object> Assets = new Dictionary<string, UnityEngine.Object>();
        internal readonly List<string> Messages = new List<string>();

        public string assetPath { get; internal set; }

        public void AddObjectToAsset(string identifier, UnityEngine.Object obj)
        {
            Assets.Add(identifier, obj);
        }

        public void SetMainObject(UnityEngine.Object obj)
        {
        }

        public void LogImportError(string msg, UnityEngine.Object obj = null)
        {
            Messages.Add("error: " + msg);
        }

        public void LogImportWarning(string msg, UnityEngine.Object obj = null)
        {
            Messages.Add("warning: " + msg);
        }
    }
}
