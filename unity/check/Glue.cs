using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Threading;
using InputAnim.Editor;
using InputAnim.Timeline;
using InputAnim.Unity;
using InputAnim.XRHands;
using UnityEditor;
using UnityEditor.AssetImporters;
using UnityEngine;
using UnityEngine.InputSystem.XR;
using UnityEngine.Playables;
using UnityEngine.Timeline;
using UnityEngine.XR.Hands;
using UnityEngine.XR.Hands.ProviderImplementation;

namespace InputAnim.Check
{
    /// <summary>Runs the components of the package with the stubs of Unity.</summary>
    internal sealed class Glue
    {
        private const float FrameTime = 1f / 72f;

        private readonly List<string> failures;
        private readonly Dictionary<string, byte[]> files;
        private readonly string folder;

        private Glue(Dictionary<string, byte[]> caseFiles, string outputFolder, List<string> allFailures)
        {
            files = caseFiles;
            folder = outputFolder;
            failures = allFailures;
        }

        internal static void Check(Dictionary<string, byte[]> files, string folder, List<string> failures)
        {
            Glue glue = new Glue(files, folder, failures);
            Call(typeof(RecordedHandsProvider), "Register");
            Call(typeof(RecordedHandsProvider), "Register");
            Call(typeof(XRHandsPlayback), "AddOutput");
            glue.Expect(SubsystemManager.Descriptors.Count, 1, "descriptors");
            Camera.main = new GameObject("Main Camera").AddComponent<Camera>();
            glue.RecordsWhatItPlays();
            glue.MovesWithTheOrigin();
            glue.FillsMissingJoints();
            glue.StopsTheHandsOfTheDevice();
            glue.PlaysByName();
            glue.ReportsEvents();
            glue.FollowsATimeline();
            glue.ProviderAllocatesNothing();
            glue.ImportsAndExports();
            glue.ShowsTheInspector();
            glue.RunsTheTestsOfTheSample();
            glue.DrawsThePreview();
            Console.WriteLine("components of Unity, XR Hands and the editor: checked with stubs");
        }

        private static void Call(Type type, string method)
        {
            type.GetMethod(method, BindingFlags.Static | BindingFlags.NonPublic).Invoke(null, null);
        }

        private void Expect(object found, object expected, string what)
        {
            if (!Equals(found, expected))
            {
                failures.Add(what + ": expected " + expected + ", found " + found);
            }
        }

        private InputRecording Asset(string name)
        {
            InputRecording asset = InputRecording.Create(files[name]);
            asset.name = name;
            return asset;
        }

        /// <summary>Runs one frame of the application: hands, input, components.</summary>
        private static void RunFrame(Transform origin, RecordedDevices devices)
        {
            Time.frameCount++;
            Time.deltaTime = FrameTime;
            Time.unscaledDeltaTime = FrameTime;
            foreach (XRHandSubsystem hands in XRHandProviderUtility.SubsystemUpdater.Running.ToArray())
            {
                hands.TryUpdateHands(XRHandSubsystem.UpdateType.Dynamic);
            }
            XRHMD head = devices == null ? null : devices.Head;
            if (head != null)
            {
                // The driver of the camera, which a rig has.
                Pose pose = new Pose(head.centerEyePosition.ReadValue(), head.centerEyeRotation.ReadValue());
                InputPose world = UnityPoses.ToWorld(pose, origin);
                Camera.main.transform.SetPositionAndRotation(world.Position(), world.Rotation());
            }
            GameObject.SendToAll("Update");
            GameObject.SendToAll("LateUpdate");
            foreach (XRHandSubsystem hands in XRHandProviderUtility.SubsystemUpdater.Running.ToArray())
            {
                hands.TryUpdateHands(XRHandSubsystem.UpdateType.BeforeRender);
            }
        }

        /// <summary>Plays a recording into XR Hands, and records XR Hands. Returns the frames that were played.</summary>
        private List<float> PlayAndRecord(string name, Transform origin, string path)
        {
            List<float> times = new List<float>();
            GameObject owner = new GameObject("player");
            owner.SetActive(false);
            InputPlayer player = owner.AddComponent<InputPlayer>();
            player.Recording = Asset(name);
            player.Ending = EndAction.Hold;
            XRHandsPlayback playback = owner.AddComponent<XRHandsPlayback>();
            playback.Origin = origin;
            owner.SetActive(true);
            XRHandsRecorder recorder = new GameObject("recorder").AddComponent<XRHandsRecorder>();
            recorder.Origin = origin;
            recorder.KeepLast = 0f;
            recorder.Clock = () => player.Time;
            recorder.StartRecording();
            Expect(recorder.Subsystem, playback.Subsystem, name + ": the hands that are recorded");
            while (player.IsPlaying)
            {
                RunFrame(origin, playback.Devices);
                if (times.Count == 0 || times[times.Count - 1] < player.Time)
                {
                    times.Add(player.Time);
                }
            }
            Expect(recorder.RefusedFrames, 0, name + ": refused frames");
            RecordingFile file = recorder.Save(path);
            while (!file.IsDone)
            {
                Thread.Sleep(1);
            }
            Expect(file.Error, null, name + ": error of the file");
            UnityEngine.Object.Destroy(owner);
            UnityEngine.Object.Destroy(recorder.gameObject);
            Expect(SubsystemManager.Hands.Count, 0, name + ": subsystems that are left");
            Expect(UnityEngine.InputSystem.InputSystem.Devices.Count, 0, name + ": devices that are left");
            return times;
        }

        /// <summary>Play → XRHandSubsystem → recorder → file has every number to the last bit.</summary>
        private void RecordsWhatItPlays()
        {
            long numbers = 0;
            int recordings = 0;
            foreach (string name in files.Keys)
            {
                bool isLong = files[name].Length > 100000 && name.EndsWith(".bin", StringComparison.Ordinal);
                if (!isLong)
                {
                    continue;
                }
                recordings++;
                string path = Path.Combine(folder, "recorded-" + name);
                List<float> times = PlayAndRecord(name, null, path);
                Sampler sampler = new Sampler(RecordingReader.Read(files[name]));
                Recorder expected = new Recorder(new RecorderOptions { FromZero = true });
                SamplerCursor cursor = new SamplerCursor();
                Frame frame = new Frame();
                foreach (float time in times)
                {
                    sampler.Read(time, cursor, frame);
                    frame.HasGaze = false;
                    // A camera always has a pose; without a recorded head, it stays where it was.
                    if (!frame.HasHead)
                    {
                        Transform camera = Camera.main.transform;
                        frame.Head = UnityPoses.From(camera.position, camera.rotation);
                        frame.HasHead = true;
                    }
                    Complete(frame.Left);
                    Complete(frame.Right);
                    expected.Add(frame);
                }
                Recording wanted = expected.Snapshot();
                numbers += wanted.KeyCount;
                byte[] bytes = RecordingWriter.ToBytes(wanted);
                string difference = Difference(bytes, File.ReadAllBytes(path));
                if (difference != null)
                {
                    failures.Add(name + ": the recorded file differs: " + difference);
                }
            }
            Console.WriteLine(
                "{0} recordings played into XR Hands and recorded again: {1} numbers equal to the last bit", recordings, numbers);
            Expect(recordings > 3, true, "recordings to play");
        }

        private static void Complete(HandFrame hand)
        {
            hand.IsPinching &= hand.IsTracked;
            hand.IsPinchUnknown = false;
            hand.ClearJoint(HandJoint.None);
            if (hand.IsTracked)
            {
                hand.IsTracked = HandCompletion.Fill(hand) >= 0;
            }
        }

        private static string Difference(byte[] expected, byte[] found)
        {
            if (expected.Length != found.Length)
            {
                return expected.Length + " and " + found.Length + " bytes";
            }
            for (int index = 0; index < found.Length; index++)
            {
                if (expected[index] != found[index])
                {
                    return "byte " + index;
                }
            }
            return null;
        }

        /// <summary>With a moved and turned origin, the joints are relative to it, and the recorder gives world space.</summary>
        private void MovesWithTheOrigin()
        {
            Transform origin = new GameObject("Camera Offset").transform;
            float half = (float)Math.Sqrt(0.5);
            origin.SetPositionAndRotation(new Vector3(1f, 2f, -3f), new Quaternion(0f, half, 0f, half));
            string path = Path.Combine(folder, "recorded-moved.bin");
            List<float> times = PlayAndRecord("two-hands.bin", origin, path);
            Sampler played = new Sampler(RecordingReader.Read(files["two-hands.bin"]));
            Sampler recorded = new Sampler(RecordingReader.Read(File.ReadAllBytes(path)));
            SamplerCursor cursor = new SamplerCursor();
            Frame expected = new Frame();
            Frame found = new Frame();
            double largest = 0.0;
            for (int index = 0; index < times.Count; index += 10)
            {
                played.Read(times[index], cursor, expected);
                recorded.Read(times[index] - times[0], cursor, found);
                largest = Math.Max(largest, Distance(expected.Head, found.Head));
                for (int side = 0; side < 2; side++)
                {
                    InputPose a, b;
                    expected.Hand((Side)side).TryGetJoint(HandJoint.IndexTip, out a);
                    found.Hand((Side)side).TryGetJoint(HandJoint.IndexTip, out b);
                    largest = Math.Max(largest, Distance(a, b));
                }
            }
            Expect(largest < 1e-5, true, "poses with a moved origin differ by " + largest + ", less than 1e-5");
        }

        private static double Distance(InputPose a, InputPose b)
        {
            double rotation = a.RotationX * b.RotationX + a.RotationY * b.RotationY + a.RotationZ * b.RotationZ
                + a.RotationW * b.RotationW;
            bool isEmpty = a.RotationW == 0f && a.RotationX == 0f && a.RotationY == 0f && a.RotationZ == 0f;
            double turned = isEmpty ? 0.0 : 1.0 - Math.Abs(rotation);
            return Math.Max(Vector3.Distance(a.Position(), b.Position()), turned);
        }

        /// <summary>A hand with a single joint gets poses of all 26 joints, which MRTK3 needs.</summary>
        private void FillsMissingJoints()
        {
            HandFrame hand = new HandFrame();
            Expect(HandCompletion.Fill(hand), -1, "a hand without joints");
            hand.SetJoint(HandJoint.IndexTip, new InputPose(1f, 2f, 3f, 0f, 0f, 0f, 1f));
            Expect(HandCompletion.Fill(hand), 25, "filled joints");
            hand.Clear();
            hand.SetJoint(HandJoint.Wrist, InputPose.Identity);
            hand.SetJoint(HandJoint.MiddleMetacarpal, new InputPose(0f, 0f, 1f, 0f, 0f, 0f, 1f));
            hand.SetJoint(HandJoint.MiddleKnuckle, new InputPose(0f, 0f, 3f, 0f, 0f, 0f, 1f));
            HandCompletion.Fill(hand);
            InputPose pose;
            hand.TryGetJoint(HandJoint.Palm, out pose);
            Expect(pose.PositionZ, 2f, "the palm is between base and knuckle");
            hand.TryGetJoint(HandJoint.MiddleTip, out pose);
            Expect(pose.PositionZ, 3f, "the tip is at the nearest joint of its finger");
            hand.TryGetJoint(HandJoint.ThumbTip, out pose);
            Expect(pose.PositionZ, 0f, "a finger without joints is at the wrist");
        }

        private sealed class DeviceProvider : XRHandSubsystemProvider
        {
            public override void Start()
            {
            }

            public override void Stop()
            {
            }

            public override void Destroy()
            {
            }

            public override void GetHandLayout(global::Unity.Collections.NativeArray<bool> handJointsInLayout)
            {
            }

            public override XRHandSubsystem.UpdateSuccessFlags TryUpdateHands(
                XRHandSubsystem.UpdateType updateType,
                ref Pose leftHandRootPose,
                global::Unity.Collections.NativeArray<XRHandJoint> leftHandJoints,
                ref Pose rightHandRootPose,
                global::Unity.Collections.NativeArray<XRHandJoint> rightHandJoints)
            {
                return XRHandSubsystem.UpdateSuccessFlags.None;
            }
        }

        /// <summary>The hands of a device stop while a recording plays, and start again afterwards.</summary>
        private void StopsTheHandsOfTheDevice()
        {
            XRHandSubsystem device = new XRHandSubsystem(new DeviceProvider());
            device.Start();
            GameObject owner = new GameObject("player");
            InputPlayer player = owner.AddComponent<InputPlayer>();
            player.Recording = Asset("two-hands.bin");
            XRHandsPlayback playback = owner.AddComponent<XRHandsPlayback>();
            Expect(device.running, false, "the hands of the device run during playback");
            Expect(playback.Subsystem.running, true, "the recorded hands run");
            Expect(Debug.Messages.Exists(message => message.Contains("stopped the hands of the device")), true, "a message");
            UnityEngine.Object.Destroy(owner);
            Expect(device.running, true, "the hands of the device run after playback");
            device.Destroy();
        }

        /// <summary>A test plays a recording by its name, and waits for its end.</summary>
        private void PlaysByName()
        {
            Resources.All["take"] = Asset("pinch-drag.bin");
            int pinches = 0;
            InputPlayback playback = InputPlayback.Play("take", next =>
            {
                next.Rate = 4f;
                next.OnPinchDown.AddListener(side => pinches++);
            });
            InputPlayer player = playback.Player;
            Expect(player.GetComponent<XRHandsPlayback>() != null, true, "a playback plays into XR Hands");
            int frames = 0;
            bool wasPressed = false;
            while (playback.MoveNext() && frames < 10000)
            {
                RunFrame(null, null);
                wasPressed |= MetaAimHand.right != null && MetaAimHand.right.indexPressed.isPressed;
                frames++;
            }
            Expect(frames > 85 && frames < 95, true, "5 s at four times the speed take about 90 frames, found " + frames);
            Expect(pinches, 2, "pinches");
            Expect(wasPressed, true, "the aim hand was pressed");
            Expect(SubsystemManager.Hands.Count, 0, "subsystems after playback");
            System.Collections.IEnumerator steps = InputPlayback.Step("take", 30f);
            frames = 0;
            while (steps.MoveNext())
            {
                RunFrame(null, null);
                frames++;
            }
            Expect(frames, 150, "steps of 1/30 s in 5 s");
            try
            {
                InputPlayback.Play("missing");
                failures.Add("a missing recording was played");
            }
            catch (FileNotFoundException error)
            {
                Expect(error.Message.StartsWith("no recording \"missing\"", StringComparison.Ordinal), true, error.Message);
            }
            try
            {
                InputPlayback.Play(InputRecording.Create(new byte[] { 1, 2, 3 }));
                failures.Add("a damaged recording was played");
            }
            catch (RecordingFormatException error)
            {
                Expect(error.Kind, "not-input-animation", "the error of a damaged recording");
            }
            InputPlayback.Folders.Add(folder);
            InputPlayback.Play("recorded-moved").Dispose();
        }

        /// <summary>The PlayMode tests of the sample pass.</summary>
        private void RunsTheTestsOfTheSample()
        {
            Resources.All["pinch-drag"] = Asset("pinch-drag.bin");
            Run(new InputAnim.Samples.PinchTests().TheRecordingPinchesTwice());
            Run(new InputAnim.Samples.PinchTests().MarkersComeInTheirOrder());
        }

        /// <summary>Runs a coroutine as Unity does: what it yields runs before it continues.</summary>
        private static void Run(System.Collections.IEnumerator routine)
        {
            while (routine.MoveNext())
            {
                System.Collections.IEnumerator inner = routine.Current as System.Collections.IEnumerator;
                while (inner != null && inner.MoveNext())
                {
                    RunFrame(null, null);
                }
                RunFrame(null, null);
            }
        }

        /// <summary>Returns a list to which the events of a player are added.</summary>
        private static List<string> EventsOf(InputPlayer player)
        {
            List<string> events = new List<string>();
            player.OnMarker.AddListener(name => events.Add(name));
            player.OnHandFound.AddListener(side => events.Add("found " + side));
            player.OnPinchDown.AddListener(side => events.Add("pinch " + side));
            player.OnPinchUp.AddListener(side => events.Add("open " + side));
            player.OnEnded.AddListener(() => events.Add("ended"));
            return events;
        }

        /// <summary>Seek, pause, loop and events of the component.</summary>
        private void ReportsEvents()
        {
            GameObject owner = new GameObject("player");
            InputPlayer player = owner.AddComponent<InputPlayer>();
            player.Clock = InputPlayerClock.Stepped;
            player.Recording = Asset("pinch-drag.bin");
            List<string> events = EventsOf(player);
            Expect(player.Duration, 5f, "duration");
            player.Play();
            player.Step(2.5f);
            Expect(string.Join(", ", events.ToArray()), "found Right, reach, pinch, pinch Right, release, open Right", "events");
            events.Clear();
            player.Pause();
            player.Step(1f);
            Expect(player.Time, 2.5f, "the time while paused");
            player.Seek(4.5f);
            player.Play();
            player.Step(1f);
            Expect(events[events.Count - 1], "ended", "the last event");
            Expect(player.Time, 5f, "the time at the end");
            player.Ending = EndAction.Loop;
            player.Play();
            player.Step(6f);
            Expect(player.Time, 1f, "the time after a loop");
            InputRecording played = player.Recording;
            player.Recording = null;
            Expect(player.Duration, 0f, "the duration without a recording");
            player.Recording = played;
            Expect(player.Duration, 5f, "the duration of the same recording again");
            player.Recording = InputRecording.Create(new byte[] { 1, 2, 3 });
            player.Play();
            Expect(player.IsPlaying, false, "a damaged file plays");
            Expect(Debug.Messages[Debug.Messages.Count - 1].Contains("not an input animation file"), true, "an error");
            UnityEngine.Object.Destroy(owner);
        }

        private void FollowsATimeline()
        {
            GameObject owner = new GameObject("player");
            InputPlayer player = owner.AddComponent<InputPlayer>();
            InputRecording own = Asset("two-hands.bin");
            player.Recording = own;
            List<string> events = EventsOf(player);
            InputRecordingClip clip = ScriptableObject.CreateInstance<InputRecordingClip>();
            Expect(clip.duration, 5.0, "the duration of a clip without a recording");
            clip.Recording = own;
            Expect(clip.duration, 9.0, "the duration of a clip");
            clip.Recording = InputRecording.Create(new byte[] { 1, 2, 3 });
            Expect(clip.duration, 5.0, "the duration of a clip that cannot be read");
            clip.Recording = Asset("pinch-drag.bin");
            object[] attributes = typeof(InputRecordingTrack).GetCustomAttributes(false);
            Expect(Array.Exists(attributes, other => (other as TrackClipTypeAttribute) != null && ((TrackClipTypeAttribute)other).Type == clip.GetType()), true, "the clips of the track");
            Playable playable = clip.CreatePlayable(default(PlayableGraph), owner);
            PlayableBehaviour behaviour = (PlayableBehaviour)playable.Behaviour;
            FrameData played = new FrameData();
            FrameData jumped = new FrameData { seekOccurred = true };
            Action<double, FrameData> process = (time, data) =>
            {
                playable.Time = time;
                behaviour.ProcessFrame(playable, data, player);
                // The update of the player must not move it too.
                Time.frameCount++;
                GameObject.SendToAll("Update");
                Expect(player.Time, (float)time, "the time on a Timeline");
            };
            process(0.0, played);
            for (int frame = 1; frame <= 150; frame++)
            {
                process(frame / 60.0, played);
            }
            Expect(string.Join(", ", events.ToArray()), "found Right, reach, pinch, pinch Right, release, open Right", "events on a Timeline");
            events.Clear();
            process(1.0, jumped);
            process(1.0, played);
            Expect(events.Contains("reach"), false, "a jump calls the events on the way");
            Application.isPlaying = false;
            events.Clear();
            process(0.2, played);
            process(2.5, played);
            Expect(events.Count, 0, "events in the preview of the editor");
            Application.isPlaying = true;
            process(5.0, played);
            process(5.0, played);
            Expect(events.FindAll(other => other == "ended").Count, 1, "the number of ends");
            behaviour.OnBehaviourPause(playable, played);
            Expect(player.Recording, own, "the recording after the clip");
            Expect(player.Clock, InputPlayerClock.Game, "the clock after the clip");
            // Without a player, or without a recording, the track does nothing.
            behaviour.ProcessFrame(playable, played, null);
            new InputRecordingPlayback().ProcessFrame(playable, played, player);
            Expect(player.Recording, own, "the recording without a clip");
            UnityEngine.Object.Destroy(owner);
        }

        private void ProviderAllocatesNothing()
        {
            GameObject owner = new GameObject("player");
            InputPlayer player = owner.AddComponent<InputPlayer>();
            player.Recording = Asset("two-hands.bin");
            player.Ending = EndAction.Loop;
            XRHandsPlayback playback = owner.AddComponent<XRHandsPlayback>();
            player.Play();
            // The stubs of the Input System allocate.
            playback.Devices.Remove();
            for (int frame = 0; frame < 100; frame++)
            {
                Time.frameCount++;
                playback.Subsystem.TryUpdateHands(XRHandSubsystem.UpdateType.Dynamic);
            }
            player.Pause();
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int frame = 0; frame < 2000; frame++)
            {
                Time.frameCount++;
                playback.Subsystem.TryUpdateHands(XRHandSubsystem.UpdateType.Dynamic);
            }
            Expect(GC.GetAllocatedBytesForCurrentThread() - before, 0L, "bytes that the provider allocates");
            UnityEngine.Object.Destroy(owner);
        }

        /// <summary>The importer makes a recording and a clip, and a clip gives the same file again.</summary>
        private void ImportsAndExports()
        {
            int clips = 0;
            foreach (KeyValuePair<string, byte[]> file in files)
            {
                string path = Path.Combine(folder, "import.inputanim");
                File.WriteAllBytes(path, file.Value);
                AssetImportContext context = new AssetImportContext();
                context.assetPath = path;
                new InputRecordingImporter().OnImportAsset(context);
                InputRecording asset = (InputRecording)context.Assets["recording"];
                Expect(Difference(asset.Bytes, file.Value), null, file.Key + ": bytes of the asset");
                if (!context.Assets.ContainsKey("clip"))
                {
                    continue;
                }
                clips++;
                Recording recording = asset.Read();
                List<string> ignored = new List<string>();
                Recording again = RecordingClips.FromClip((AnimationClip)context.Assets["clip"], ignored);
                Expect(ignored.Count, 0, file.Key + ": ignored properties");
                Expect(again.KeyCount, recording.KeyCount, file.Key + ": keys of the clip");
                CompareKeys(file.Key, recording, again);
            }
            Expect(clips > 20, true, "clips");
            Expect(RecordingClips.PropertyOf(0), "cameraPose.position.x", "a property");
            Expect(RecordingClips.PropertyOf(CurveNumbers.Pinching(Side.Right)), "rightHand.isPinching", "a property");
            Expect(
                RecordingClips.PropertyOf(CurveNumbers.Of(Side.Left, HandJoint.IndexTip) + 6),
                "leftHand.jointIndexTip.rotation.w",
                "a property");
            PropertiesExist();
            byte[] bytes = RecordingMenu.BytesOf(Asset("wave.bin"));
            Expect(Difference(bytes, files["wave.bin"]), null, "export of a recording");
        }

        /// <summary>Each property of a clip is a field of the component that the clip animates.</summary>
        private void PropertiesExist()
        {
            for (int curve = 0; curve < CurveNumbers.Count; curve++)
            {
                Type type = typeof(InputAnimationTarget);
                foreach (string name in RecordingClips.PropertyOf(curve).Split('.'))
                {
                    FieldInfo field = type == null ? null : type.GetField(name);
                    type = field == null ? null : field.FieldType;
                }
                if (type != typeof(float) && type != typeof(bool))
                {
                    failures.Add("no field " + RecordingClips.PropertyOf(curve));
                }
            }
        }

        private void CompareKeys(string name, Recording expected, Recording found)
        {
            for (int number = 0; number < CurveNumbers.Count; number++)
            {
                Curve a = expected[number];
                for (int index = 0; a != null && index < a.Count; index++)
                {
                    CurveKey x = a[index];
                    CurveKey y = found[number][index];
                    bool isState = CurveNumbers.IsState(number);
                    bool isSame = Bits.Of(x.Time) == Bits.Of(y.Time)
                        && (isState ? x.Value > 0.5f == y.Value > 0.5f : Bits.Of(x.Value) == Bits.Of(y.Value));
                    isSame &= isState || Bits.Of(x.InTangent) == Bits.Of(y.InTangent)
                        && Bits.Of(x.OutTangent) == Bits.Of(y.OutTangent) && Bits.Of(x.InWeight) == Bits.Of(y.InWeight)
                        && Bits.Of(x.OutWeight) == Bits.Of(y.OutWeight) && x.WeightedMode == y.WeightedMode;
                    bool hasNaN = float.IsNaN(x.Value) || float.IsNaN(x.InTangent) || float.IsNaN(x.OutTangent)
                        || float.IsNaN(x.InWeight) || float.IsNaN(x.OutWeight);
                    if (!isSame && !hasNaN)
                    {
                        failures.Add(name + ": key " + index + " of " + CurveNumbers.Name(number) + " differs in the clip");
                        return;
                    }
                }
            }
        }

        /// <summary>The Inspector shows facts, findings with their command, the timeline and the hands.</summary>
        private void ShowsTheInspector()
        {
            UnityEngine.Event.current = new UnityEngine.Event { type = EventType.Repaint };
            List<string> shown = Show("two-hands.bin");
            Expect(shown.Contains("Layout: mrtk-1.1"), true, "the layout");
            Expect(shown.Contains("Streams: head, left hand, right hand, gaze"), true, "the streams");
            Expect(shown.Exists(text => text.StartsWith("Info: No damage", StringComparison.Ordinal)), true, "no damage");
            Expect(shown.FindAll(text => text.StartsWith("line: ", StringComparison.Ordinal)).Count > 20, true, "bones");
            shown = Show("lost-w.bin");
            Expect(shown.Exists(text => text.StartsWith("Warning: D1 ", StringComparison.Ordinal)), true, "damage");
            Expect(
                shown.Contains("command: inputanim repair Assets/take.inputanim -o take-repaired.bin"), true, "the command");
            shown = Show("session.bin");
            Expect(shown.Contains("Error: expected a recording, found a session file"), true, "an error");
        }

        /// <summary>Writes the lines of the preview at one time as a picture, which docs/unity.md shows.</summary>
        private void DrawsThePreview()
        {
            Sampler sampler = new Sampler(RecordingReader.Read(files["pinch-drag.bin"]));
            Frame frame = new Frame();
            sampler.Read(2f, new SamplerCursor(), frame);
            List<HandDrawing.Line> lines = new List<HandDrawing.Line>();
            HandDrawing.AddLines(frame, HandDrawing.BoundsOf(sampler), lines);
            Expect(lines.Count, 24, "bones of a hand");
            StringWriter picture = new StringWriter();
            picture.NewLine = "\n";
            picture.WriteLine(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"360\" height=\"360\" viewBox=\"0 0 360 360\">");
            picture.WriteLine("<title>The lines of the preview for samples/pinch-drag.bin at 2 s</title>");
            picture.WriteLine("<rect width=\"360\" height=\"360\" fill=\"#383838\"/>");
            foreach (HandDrawing.Line line in lines)
            {
                bool isInside = line.FromX >= 0f && line.FromX <= 1f && line.ToY >= 0f && line.ToY <= 1f;
                Expect(isInside, true, "a line is inside of the picture");
                picture.WriteLine(string.Format(
                    System.Globalization.CultureInfo.InvariantCulture,
                    "<line x1=\"{0:0.0}\" y1=\"{1:0.0}\" x2=\"{2:0.0}\" y2=\"{3:0.0}\" stroke=\"{4}\" stroke-width=\"3\"/>",
                    360 * line.FromX,
                    360 * line.FromY,
                    360 * line.ToX,
                    360 * line.ToY,
                    line.Side == Side.Left ? "#4099e6" : "#4dbf66"));
            }
            picture.WriteLine("</svg>");
            File.WriteAllText(Path.Combine(folder, "preview.svg"), picture.ToString());
        }

        private List<string> Show(string name)
        {
            Recorded.Shown.Clear();
            InputRecordingInspector inspector = new InputRecordingInspector();
            inspector.target = Asset(name);
            inspector.OnInspectorGUI();
            if (inspector.HasPreviewGUI())
            {
                inspector.OnPreviewGUI(new Rect(0f, 0f, 300f, 200f), new GUIStyle());
            }
            return Recorded.Shown;
        }
    }
}
