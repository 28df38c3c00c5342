using System;
using System.Collections.Generic;
using UnityEngine;
using UnityEngine.Events;

namespace InputAnim.Unity
{
    /// <summary>The clock of an <see cref="InputPlayer"/>.</summary>
    public enum InputPlayerClock
    {
        /// <summary>The time of the game, which <c>Time.timeScale</c> changes.</summary>
        Game,
        /// <summary>The real time.</summary>
        Real,
        /// <summary>The player moves only when <see cref="InputPlayer.Step"/> is called, for tests.</summary>
        Stepped,
    }

    /// <summary>An event with the name of a marker.</summary>
    [Serializable]
    public sealed class MarkerEvent : UnityEvent<string>
    {
    }

    /// <summary>An event of the left or the right hand.</summary>
    [Serializable]
    public sealed class HandEvent : UnityEvent<Side>
    {
    }

    /// <summary>
    /// Plays a recording. Other components, such as <c>XRHandsPlayback</c>, pass its frames on to input systems.
    /// </summary>
    [DefaultExecutionOrder(-30000)]
    [AddComponentMenu("Input Recording/Input Player")]
    public sealed class InputPlayer : MonoBehaviour
    {
        [SerializeField]
        [Tooltip("The recording to play.")]
        private InputRecording recording;

        [SerializeField]
        [Tooltip("Start to play when the component is enabled.")]
        private bool playOnEnable = true;

        [SerializeField]
        [Tooltip("The action at the end.")]
        private EndAction ending = EndAction.Hold;

        [SerializeField]
        [Tooltip("1 is the speed of the recording. A negative number plays backwards.")]
        private float rate = 1f;

        [SerializeField]
        [Tooltip("The clock. Stepped moves only by calls of Step.")]
        private InputPlayerClock clock = InputPlayerClock.Game;

        [SerializeField]
        private MarkerEvent onMarker = new MarkerEvent();
        [SerializeField]
        private HandEvent onHandFound = new HandEvent();
        [SerializeField]
        private HandEvent onHandLost = new HandEvent();
        [SerializeField]
        private HandEvent onPinchDown = new HandEvent();
        [SerializeField]
        private HandEvent onPinchUp = new HandEvent();
        [SerializeField]
        private UnityEvent onEnded = new UnityEvent();

        private readonly List<Transition> transitions = new List<Transition>(16);
        private Player player;
        private InputRecording loaded;
        private Frame frame;
        private int lastUpdate = -1;

        /// <summary>The recording to play. A new recording starts from its beginning.</summary>
        public InputRecording Recording
        {
            get { return recording; }
            set { recording = value; }
        }

        /// <summary>True starts playback when the component is enabled.</summary>
        public bool PlayOnEnable
        {
            get { return playOnEnable; }
            set { playOnEnable = value; }
        }

        /// <summary>The action at the end.</summary>
        public EndAction Ending
        {
            get { return ending; }
            set { ending = value; }
        }

        /// <summary>The speed: 1 is the speed of the recording, and a negative number plays backwards.</summary>
        public float Rate
        {
            get { return rate; }
            set { rate = value; }
        }

        /// <summary>The clock.</summary>
        public InputPlayerClock Clock
        {
            get { return clock; }
            set { clock = value; }
        }

        /// <summary>Is called with the name of each marker that playback reaches.</summary>
        public MarkerEvent OnMarker
        {
            get { return onMarker; }
        }

        /// <summary>Is called when a hand is found.</summary>
        public HandEvent OnHandFound
        {
            get { return onHandFound; }
        }

        /// <summary>Is called when a hand is lost.</summary>
        public HandEvent OnHandLost
        {
            get { return onHandLost; }
        }

        /// <summary>Is called when a hand begins to pinch.</summary>
        public HandEvent OnPinchDown
        {
            get { return onPinchDown; }
        }

        /// <summary>Is called when a hand stops to pinch.</summary>
        public HandEvent OnPinchUp
        {
            get { return onPinchUp; }
        }

        /// <summary>Is called when playback ends, but not at the end of a loop.</summary>
        public UnityEvent OnEnded
        {
            get { return onEnded; }
        }

        /// <summary>True while the recording plays.</summary>
        public bool IsPlaying
        {
            get { return player != null && player.State == PlaybackState.Playing; }
        }

        /// <summary>The time in seconds of the recording.</summary>
        public float Time
        {
            get { return player == null ? 0f : player.Time; }
        }

        /// <summary>The duration of the recording in seconds; 0 without a recording.</summary>
        public float Duration
        {
            get { return Load() ? player.Range.End : 0f; }
        }

        /// <summary>The frame at the present time; null without a recording. Each update changes the same frame.</summary>
        public Frame Frame
        {
            get { return frame; }
        }

        /// <summary>Starts or continues playback.</summary>
        public void Play()
        {
            if (Load())
            {
                player.Play();
                frame = player.Frame();
            }
        }

        /// <summary>Pauses playback.</summary>
        public void Pause()
        {
            if (player != null)
            {
                player.Pause();
            }
        }

        /// <summary>Stops playback, and returns to the start.</summary>
        public void Stop()
        {
            if (player != null)
            {
                player.Stop();
                frame = player.Frame();
            }
        }

        /// <summary>Moves to a time in seconds of the recording.</summary>
        public void Seek(float time)
        {
            if (Load())
            {
                player.Seek(time);
                frame = player.Frame();
            }
        }

        /// <summary>
        /// Moves to a time in seconds of the recording. If the time is later, it calls the events on the way. Another clock, such as
        /// a Timeline, calls it for each frame.
        /// </summary>
        public void MoveTo(float time)
        {
            if (!Load())
            {
                return;
            }
            float target = Mathf.Max(player.Range.Start, Mathf.Min(time, player.Range.End));
            if (target < player.Time)
            {
                player.Seek(target);
            }
            // A player at the end would start again.
            if (player.Time < player.Range.End)
            {
                player.Play();
            }
            player.Ending = EndAction.Hold;
            player.Rate = 1.0;
            Advance(target - player.Time);
        }

        /// <summary>Moves by seconds of the clock, and calls the events on the way.</summary>
        public void Step(float seconds)
        {
            if (!Load())
            {
                return;
            }
            player.Ending = ending;
            player.Rate = rate;
            Advance(seconds);
        }

        private void Advance(float seconds)
        {
            bool wasPlaying = IsPlaying;
            player.Advance(seconds, transitions);
            frame = player.Frame();
            // An event may step or load another recording, so the list must not be read while it changes.
            Transition[] reported = transitions.Count == 0 ? null : transitions.ToArray();
            transitions.Clear();
            for (int index = 0; reported != null && index < reported.Length; index++)
            {
                Report(reported[index]);
            }
            if (wasPlaying && !IsPlaying)
            {
                onEnded.Invoke();
            }
        }

        /// <summary>
        /// Moves to the present time of the clock. Unity calls it once for each frame, and so do components that need the
        /// frame earlier. All but the first call in a frame do nothing.
        /// </summary>
        public void Tick()
        {
            if (!isActiveAndEnabled || clock == InputPlayerClock.Stepped || lastUpdate == UnityEngine.Time.frameCount)
            {
                return;
            }
            lastUpdate = UnityEngine.Time.frameCount;
            Step(clock == InputPlayerClock.Real ? UnityEngine.Time.unscaledDeltaTime : UnityEngine.Time.deltaTime);
        }

        private void OnEnable()
        {
            if (playOnEnable)
            {
                Play();
            }
        }

        private void OnDisable()
        {
            Pause();
        }

        private void Update()
        {
            Tick();
        }

        /// <summary>Prepares the recording if it is new. Returns false without a recording that can be played.</summary>
        private bool Load()
        {
            if (recording == loaded && player != null)
            {
                return true;
            }
            player = null;
            frame = null;
            if (recording == null)
            {
                loaded = null;
                return false;
            }
            if (recording == loaded)
            {
                return false;
            }
            // A recording that cannot be read is reported once.
            loaded = recording;
            try
            {
                player = new Player(new Sampler(recording.Read()));
            }
            catch (RecordingFormatException error)
            {
                Debug.LogError(recording.name + ": " + error.Message, this);
                return false;
            }
            foreach (Finding finding in Doctor.Examine(recording.Read()))
            {
                Debug.LogWarning(recording.name + ": " + finding + ". Run: " + finding.Command(recording.name + ".bin"), this);
            }
            return true;
        }

        private void Report(Transition transition)
        {
            switch (transition.Kind)
            {
                case TransitionKind.Marker:
                    onMarker.Invoke(transition.Name);
                    break;
                case TransitionKind.TrackingGained:
                    onHandFound.Invoke(transition.Side);
                    break;
                case TransitionKind.TrackingLost:
                    onHandLost.Invoke(transition.Side);
                    break;
                case TransitionKind.PinchDown:
                    onPinchDown.Invoke(transition.Side);
                    break;
                case TransitionKind.PinchUp:
                    onPinchUp.Invoke(transition.Side);
                    break;
            }
        }
    }
}
