using System;
using System.Collections.Generic;
using System.Diagnostics;

namespace InputAnim.Check
{
    /// <summary>Checks that frames, playback and a full rolling buffer allocate nothing.</summary>
    internal static class Allocations
    {
        private const int Frames = 20000;

        /// <summary>Checks a recording with both hands, a gaze and markers.</summary>
        internal static void Check(Recording recording, List<string> failures)
        {
            Sampler sampler = new Sampler(recording);
            SamplerCursor cursor = new SamplerCursor();
            Frame frame = new Frame();
            Player player = new Player(sampler) { Ending = EndAction.Loop };
            List<Transition> transitions = new List<Transition>(64);
            Recorder recorder = new Recorder(new RecorderOptions { KeepLast = 2f });
            player.Play();
            Action<int> step = number =>
            {
                sampler.Read(number % 500 / 100f, cursor, frame);
                player.Advance(1f / 72f, transitions);
                transitions.Clear();
                Frame played = player.Frame();
                played.Time = number / 72f;
                bool isRecorded;
                recorder.TryAdd(played, out isRecorded);
            };
            // The rolling buffer is full after this.
            for (int number = 0; number < 2000; number++)
            {
                step(number);
            }
            Stopwatch watch = Stopwatch.StartNew();
            int collections = GC.CollectionCount(0);
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int number = 2000; number < 2000 + Frames; number++)
            {
                step(number);
            }
            long bytes = GC.GetAllocatedBytesForCurrentThread() - before;
            double microseconds = watch.Elapsed.TotalMilliseconds * 1000.0 / Frames;
            collections = GC.CollectionCount(0) - collections;
            Console.WriteLine(
                "{0} frames sampled, played and recorded: {1} bytes allocated, {2} collections, {3:0.0} µs each",
                Frames,
                bytes,
                collections,
                microseconds);
            MeasureCopy(sampler);
            if (bytes > 0 || collections > 0)
            {
                failures.Add("frames allocate memory");
            }
        }

        /// <summary>Prints how long the application waits while it saves the last 30 s.</summary>
        private static void MeasureCopy(Sampler sampler)
        {
            SamplerCursor cursor = new SamplerCursor();
            Frame frame = new Frame();
            Recorder recorder = new Recorder(new RecorderOptions { KeepLast = 30f });
            for (int number = 0; number < 40 * 72; number++)
            {
                sampler.Read(number % 500 / 100f, cursor, frame);
                frame.Time = number / 72f;
                recorder.Add(frame);
            }
            recorder.Copy();
            Stopwatch watch = Stopwatch.StartNew();
            recorder.Copy();
            Console.WriteLine("copy of {0} frames: {1:0.0} ms", recorder.FrameCount, watch.Elapsed.TotalMilliseconds);
        }
    }
}
