// Declarations of UnityEngine.Playables and of Timeline for tests without Unity: see README.md.
using System;

namespace UnityEngine.Playables
{
    public struct PlayableGraph
    {
    }

    public struct FrameData
    {
        public bool seekOccurred { get; internal set; }
    }

    public interface IPlayableBehaviour
    {
    }

    public struct Playable
    {
        internal IPlayableBehaviour Behaviour;
        internal double Time;
    }

    public static class PlayableExtensions
    {
        public static double GetTime(this Playable playable)
        {
            return playable.Time;
        }
    }

    public struct ScriptPlayable<T> where T : class, IPlayableBehaviour, new()
    {
        private T behaviour;

        public static ScriptPlayable<T> Create(PlayableGraph graph, int inputCount = 0)
        {
            return new ScriptPlayable<T> { behaviour = new T() };
        }

        public T GetBehaviour()
        {
            return behaviour;
        }

        public static implicit operator Playable(ScriptPlayable<T> playable)
        {
            return new Playable { Behaviour = playable.behaviour };
        }
    }

    public abstract class PlayableBehaviour : IPlayableBehaviour
    {
        public virtual void ProcessFrame(Playable playable, FrameData info, object playerData)
        {
        }

        public virtual void OnBehaviourPause(Playable playable, FrameData info)
        {
        }
    }

    public abstract class PlayableAsset : ScriptableObject
    {
        public virtual double duration
        {
            get { return 5.0; }
        }

        public abstract Playable CreatePlayable(PlayableGraph graph, GameObject owner);
    }
}

namespace UnityEngine.Timeline
{
    [Flags]
    public enum ClipCaps
    {
        None = 0,
        Looping = 1,
        Extrapolation = 2,
        ClipIn = 4,
        SpeedMultiplier = 8,
        Blending = 16,
    }

    public interface ITimelineClipAsset
    {
        ClipCaps clipCaps { get; }
    }

    public abstract class TrackAsset : UnityEngine.Playables.PlayableAsset
    {
        public override UnityEngine.Playables.Playable CreatePlayable(UnityEngine.Playables.PlayableGraph graph, GameObject owner)
        {
            return default(UnityEngine.Playables.Playable);
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class TrackColorAttribute : Attribute
    {
        public TrackColorAttribute(float r, float g, float b)
        {
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class TrackClipTypeAttribute : Attribute
    {
        public TrackClipTypeAttribute(Type type)
        {
            Type = type;
        }

        internal Type Type { get; private set; }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class TrackBindingTypeAttribute : Attribute
    {
        public TrackBindingTypeAttribute(Type type)
        {
            Type = type;
        }

        internal Type Type { get; private set; }
    }
}
