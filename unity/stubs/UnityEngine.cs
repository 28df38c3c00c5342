// Declarations of UnityEngine for tests without Unity: see README.md.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Reflection;

namespace UnityEngine
{
    public class Object
    {
        public string name = "";

        internal bool IsDestroyed;

        public static void Destroy(Object other)
        {
            GameObject owner = other as GameObject;
            if (owner != null)
            {
                owner.SetActive(false);
            }
            other.IsDestroyed = true;
        }

        public static bool operator ==(Object a, Object b)
        {
            bool isANull = ReferenceEquals(a, null) || a.IsDestroyed;
            bool isBNull = ReferenceEquals(b, null) || b.IsDestroyed;
            return isANull || isBNull ? isANull == isBNull : ReferenceEquals(a, b);
        }

        public static bool operator !=(Object a, Object b)
        {
            return !(a == b);
        }

        public override bool Equals(object other)
        {
            return this == other as Object;
        }

        public override int GetHashCode()
        {
            return base.GetHashCode();
        }
    }

    public class ScriptableObject : Object
    {
        public static T CreateInstance<T>() where T : ScriptableObject
        {
            return Activator.CreateInstance<T>();
        }
    }

    public class Component : Object
    {
        public GameObject gameObject { get; internal set; }

        public Transform transform
        {
            get { return gameObject.transform; }
        }

        public T GetComponent<T>() where T : Component
        {
            return gameObject.GetComponent<T>();
        }
    }

    public class Behaviour : Component
    {
        public bool isActiveAndEnabled
        {
            get { return gameObject.IsActive; }
        }
    }

    public class MonoBehaviour : Behaviour
    {
    }

    public sealed class GameObject : Object
    {
        private readonly List<Component> components = new List<Component>();
        internal bool IsActive = true;

        /// <summary>The objects that the test program updates.</summary>
        internal static readonly List<GameObject> All = new List<GameObject>();

        public GameObject(string objectName)
        {
            name = objectName;
            transform = new Transform();
            transform.gameObject = this;
            components.Add(transform);
            All.Add(this);
        }

        public Transform transform { get; private set; }

        public static GameObject CreatePrimitive(PrimitiveType type)
        {
            return new GameObject(type.ToString());
        }

        public T AddComponent<T>() where T : Component
        {
            foreach (object attribute in typeof(T).GetCustomAttributes(typeof(RequireComponent), true))
            {
                Type required = ((RequireComponent)attribute).Type;
                if (!components.Exists(other => required.IsInstanceOfType(other)))
                {
                    Add((Component)Activator.CreateInstance(required));
                }
            }
            return (T)Add(Activator.CreateInstance<T>());
        }

        private Component Add(Component component)
        {
            component.gameObject = this;
            components.Add(component);
            if (IsActive)
            {
                Send(component, "Awake");
                Send(component, "OnEnable");
            }
            return component;
        }

        public T GetComponent<T>() where T : Component
        {
            return (T)components.Find(component => component is T);
        }

        public void SetActive(bool value)
        {
            if (value == IsActive)
            {
                return;
            }
            IsActive = value;
            foreach (Component component in components.ToArray())
            {
                if (value)
                {
                    Send(component, "Awake");
                }
                Send(component, value ? "OnEnable" : "OnDisable");
            }
        }

        /// <summary>Calls a message of all active components, in the order of their execution.</summary>
        internal static void SendToAll(string message)
        {
            List<Component> all = new List<Component>();
            foreach (GameObject owner in All)
            {
                if (owner.IsActive && !owner.IsDestroyed)
                {
                    all.AddRange(owner.components);
                }
            }
            all.Sort((a, b) => OrderOf(a).CompareTo(OrderOf(b)));
            foreach (Component component in all)
            {
                Send(component, message);
            }
        }

        private static int OrderOf(Component component)
        {
            object[] found = component.GetType().GetCustomAttributes(typeof(DefaultExecutionOrder), true);
            return found.Length == 0 ? 0 : ((DefaultExecutionOrder)found[0]).Order;
        }

        private static void Send(Component component, string message)
        {
            const BindingFlags Private = BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public;
            MethodInfo method = component.GetType().GetMethod(message, Private, null, Type.EmptyTypes, null);
            if (method != null)
            {
                method.Invoke(component, null);
            }
        }
    }

    public enum PrimitiveType
    {
        Sphere,
        Capsule,
        Cylinder,
        Cube,
        Plane,
        Quad,
    }

    public class Collider : Component
    {
    }

    public class Transform : Component
    {
        public Transform()
        {
            rotation = Quaternion.identity;
            localScale = new Vector3(1f, 1f, 1f);
        }

        public Vector3 position { get; set; }
        public Quaternion rotation { get; set; }
        public Vector3 localScale { get; set; }
        public Transform parent { get; set; }

        public Vector3 forward
        {
            get { return rotation * Vector3.forward; }
        }

        public void SetParent(Transform newParent, bool worldPositionStays)
        {
            parent = newParent;
        }

        public void SetPositionAndRotation(Vector3 newPosition, Quaternion newRotation)
        {
            position = newPosition;
            rotation = newRotation;
        }

        public Vector3 TransformPoint(Vector3 point)
        {
            return position + rotation * point;
        }

        public Vector3 InverseTransformPoint(Vector3 point)
        {
            return Quaternion.Inverse(rotation) * (point - position);
        }
    }

    public sealed class Camera : Behaviour
    {
        public static Camera main { get; set; }
    }

    public struct Vector2
    {
        public float x;
        public float y;

        public Vector2(float newX, float newY)
        {
            x = newX;
            y = newY;
        }
    }

    public struct Vector3
    {
        public float x;
        public float y;
        public float z;

        public Vector3(float newX, float newY, float newZ)
        {
            x = newX;
            y = newY;
            z = newZ;
        }

        public static Vector3 forward
        {
            get { return new Vector3(0f, 0f, 1f); }
        }

        public static Vector3 zero
        {
            get { return new Vector3(0f, 0f, 0f); }
        }

        public static Vector3 up
        {
            get { return new Vector3(0f, 1f, 0f); }
        }

        public float sqrMagnitude
        {
            get { return x * x + y * y + z * z; }
        }

        public static Vector3 operator +(Vector3 a, Vector3 b)
        {
            return new Vector3(a.x + b.x, a.y + b.y, a.z + b.z);
        }

        public static Vector3 operator -(Vector3 a, Vector3 b)
        {
            return new Vector3(a.x - b.x, a.y - b.y, a.z - b.z);
        }

        public static float Distance(Vector3 a, Vector3 b)
        {
            return (float)Math.Sqrt((a - b).sqrMagnitude);
        }
    }

    public struct Quaternion
    {
        public float x;
        public float y;
        public float z;
        public float w;

        public Quaternion(float newX, float newY, float newZ, float newW)
        {
            x = newX;
            y = newY;
            z = newZ;
            w = newW;
        }

        public static Quaternion identity
        {
            get { return new Quaternion(0f, 0f, 0f, 1f); }
        }

        public static Quaternion Inverse(Quaternion rotation)
        {
            return new Quaternion(-rotation.x, -rotation.y, -rotation.z, rotation.w);
        }

        public static Quaternion operator *(Quaternion a, Quaternion b)
        {
            return new Quaternion(
                a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
                a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
        }

        public static Vector3 operator *(Quaternion rotation, Vector3 point)
        {
            Quaternion turned = rotation * new Quaternion(point.x, point.y, point.z, 0f) * Inverse(rotation);
            return new Vector3(turned.x, turned.y, turned.z);
        }

        /// <summary>Returns the rotation that turns the forward axis to a direction, with the up axis upwards.</summary>
        public static Quaternion LookRotation(Vector3 direction)
        {
            double yaw = Math.Atan2(direction.x, direction.z);
            double flat = Math.Sqrt(direction.x * direction.x + direction.z * direction.z);
            double pitch = -Math.Atan2(direction.y, flat);
            Quaternion turn = new Quaternion(0f, (float)Math.Sin(yaw / 2), 0f, (float)Math.Cos(yaw / 2));
            Quaternion nod = new Quaternion((float)Math.Sin(pitch / 2), 0f, 0f, (float)Math.Cos(pitch / 2));
            return turn * nod;
        }
    }

    public struct Pose
    {
        public Vector3 position;
        public Quaternion rotation;

        public Pose(Vector3 newPosition, Quaternion newRotation)
        {
            position = newPosition;
            rotation = newRotation;
        }

        public static Pose identity
        {
            get { return new Pose(Vector3.zero, Quaternion.identity); }
        }
    }

    public struct Rect
    {
        public float x;
        public float y;
        public float width;
        public float height;

        public Rect(float newX, float newY, float newWidth, float newHeight)
        {
            x = newX;
            y = newY;
            width = newWidth;
            height = newHeight;
        }
    }

    public struct Color
    {
        public Color(float r, float g, float b)
        {
        }

        public Color(float r, float g, float b, float a)
        {
        }
    }

    public static class Mathf
    {
        public static float Clamp01(float value)
        {
            return value < 0f ? 0f : value > 1f ? 1f : value;
        }

        public static float Max(float a, float b)
        {
            return Math.Max(a, b);
        }

        public static float Min(float a, float b)
        {
            return Math.Min(a, b);
        }

        public static float Repeat(float t, float length)
        {
            return t - (float)Math.Floor(t / length) * length;
        }
    }

    public static class Time
    {
        public static float deltaTime { get; set; }
        public static float unscaledDeltaTime { get; set; }
        public static int frameCount { get; set; }
        public static double realtimeSinceStartupAsDouble { get; set; }
    }

    public static class Application
    {
        public static bool isPlaying = true;

        public static string persistentDataPath
        {
            get { return "."; }
        }

        public static string streamingAssetsPath
        {
            get { return "."; }
        }
    }

    public static class Resources
    {
        internal static readonly Dictionary<string, Object> All = new Dictionary<string, Object>();

        public static T Load<T>(string path) where T : Object
        {
            Object found;
            return All.TryGetValue(path, out found) ? found as T : null;
        }
    }

    public static class Debug
    {
        internal static readonly List<string> Messages = new List<string>();

        public static void Log(object message)
        {
            Messages.Add("log: " + message);
        }

        public static void Log(object message, Object context)
        {
            Log(message);
        }

        public static void LogWarning(object message)
        {
            Messages.Add("warning: " + message);
        }

        public static void LogWarning(object message, Object context)
        {
            LogWarning(message);
        }

        public static void LogError(object message)
        {
            Messages.Add("error: " + message);
        }

        public static void LogError(object message, Object context)
        {
            LogError(message);
        }
    }

    public abstract class CustomYieldInstruction : IEnumerator
    {
        public abstract bool keepWaiting { get; }

        public object Current
        {
            get { return null; }
        }

        public bool MoveNext()
        {
            return keepWaiting;
        }

        public virtual void Reset()
        {
        }
    }

    public sealed class WaitForSeconds
    {
        public WaitForSeconds(float seconds)
        {
        }
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeField : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class HideInInspector : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class TooltipAttribute : Attribute
    {
        public TooltipAttribute(string tooltip)
        {
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class AddComponentMenu : Attribute
    {
        public AddComponentMenu(string menuName)
        {
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class DefaultExecutionOrder : Attribute
    {
        internal readonly int Order;

        public DefaultExecutionOrder(int order)
        {
            Order = order;
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class RequireComponent : Attribute
    {
        internal readonly Type Type;

        public RequireComponent(Type requiredComponent)
        {
            Type = requiredComponent;
        }
    }

    public enum RuntimeInitializeLoadType
    {
        AfterSceneLoad,
        BeforeSceneLoad,
        AfterAssembliesLoaded,
        BeforeSplashScreen,
        SubsystemRegistration,
    }

    [AttributeUsage(AttributeTargets.Method)]
    public sealed class RuntimeInitializeOnLoadMethodAttribute : Attribute
    {
        public RuntimeInitializeOnLoadMethodAttribute(RuntimeInitializeLoadType loadType)
        {
        }
    }

    public enum WrapMode
    {
        Default = 0,
        Once = 1,
        Loop = 2,
        PingPong = 4,
        ClampForever = 8,
    }

    public enum WeightedMode
    {
        None = 0,
        In = 1,
        Out = 2,
        Both = 3,
    }

    public struct Keyframe
    {
        public Keyframe(
            float time, float value, float inTangent, float outTangent, float inWeight, float outWeight) : this()
        {
            this.time = time;
            this.value = value;
            this.inTangent = inTangent;
            this.outTangent = outTangent;
            this.inWeight = inWeight;
            this.outWeight = outWeight;
            weightedMode = WeightedMode.Both;
        }

        public float time { get; set; }
        public float value { get; set; }
        public float inTangent { get; set; }
        public float outTangent { get; set; }
        public float inWeight { get; set; }
        public float outWeight { get; set; }
        public WeightedMode weightedMode { get; set; }
    }

    public sealed class AnimationCurve
    {
        public AnimationCurve(params Keyframe[] newKeys)
        {
            keys = newKeys;
        }

        public Keyframe[] keys { get; set; }
        public WrapMode preWrapMode { get; set; }
        public WrapMode postWrapMode { get; set; }
    }

    public sealed class AnimationClip : Object
    {
    }

    public enum SendMessageOptions
    {
        RequireReceiver,
        DontRequireReceiver,
    }

    public sealed class AnimationEvent
    {
        public float time { get; set; }
        public string functionName { get; set; }
        public string stringParameter { get; set; }
        public SendMessageOptions messageOptions { get; set; }
    }

    public sealed class GUIContent
    {
        public GUIContent(string text)
        {
        }
    }

    public sealed class GUIStyle
    {
    }

    public enum EventType
    {
        Layout,
        Repaint,
    }

    public sealed class Event
    {
        public static Event current { get; set; }

        public EventType type { get; set; }
    }

    public static class GUI
    {
        public static bool enabled { get; set; }

        public static void Label(Rect position, string text)
        {
            UnityEditor.Recorded.Add("label", text);
        }
    }

    public sealed class GUILayoutOption
    {
    }

    public static class GUILayout
    {
        public static bool Toggle(bool value, string text, GUIStyle style, params GUILayoutOption[] options)
        {
            return value;
        }
    }

    public static class GUILayoutUtility
    {
        public static Rect GetRect(float width, float height)
        {
            return new Rect(0f, 0f, 400f, height);
        }
    }
}

namespace UnityEngine.Events
{
    public delegate void UnityAction();

    public delegate void UnityAction<T>(T argument);

    public class UnityEvent
    {
        private UnityAction listeners;

        public void AddListener(UnityAction call)
        {
            listeners += call;
        }

        public void Invoke()
        {
            if (listeners != null)
            {
                listeners();
            }
        }
    }

    public class UnityEvent<T>
    {
        private UnityAction<T> listeners;

        public void AddListener(UnityAction<T> call)
        {
            listeners += call;
        }

        public void Invoke(T argument)
        {
            if (listeners != null)
            {
                listeners(argument);
            }
        }
    }
}

namespace UnityEngine.Scripting
{
    [AttributeUsage(AttributeTargets.All)]
    public sealed class PreserveAttribute : Attribute
    {
    }
}
