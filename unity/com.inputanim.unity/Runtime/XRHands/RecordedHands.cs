using System.Collections.Generic;
using UnityEngine;
using UnityEngine.XR.Hands;
using UnityEngine.XR.Hands.ProviderImplementation;

namespace InputAnim.XRHands
{
    /// <summary>The subsystem of recorded hands, and the subsystems of devices that it replaces.</summary>
    internal sealed class RecordedHands
    {
        private readonly List<XRHandSubsystem> stopped = new List<XRHandSubsystem>();
        private XRHandSubsystem subsystem;
        private XRHandProviderUtility.SubsystemUpdater updater;

        internal XRHandSubsystem Subsystem
        {
            get { return subsystem; }
        }

        /// <summary>Returns the descriptor; null before it is registered.</summary>
        internal static XRHandSubsystemDescriptor FindDescriptor()
        {
            List<XRHandSubsystemDescriptor> descriptors = new List<XRHandSubsystemDescriptor>();
            SubsystemManager.GetSubsystemDescriptors(descriptors);
            return descriptors.Find(descriptor => descriptor.id == RecordedHandsProvider.Id);
        }

        /// <summary>
        /// Starts the subsystem. Stops the running subsystems of devices first if asked to: MRTK3 and others keep the first
        /// running subsystem that they find.
        /// </summary>
        internal void Start(bool stopsOthers)
        {
            if (subsystem == null)
            {
                XRHandSubsystemDescriptor descriptor = FindDescriptor();
                if (descriptor == null)
                {
                    Debug.LogError("inputanim: the subsystem of recorded hands is not registered; is XR Hands in the project?");
                    return;
                }
                subsystem = descriptor.Create();
                updater = new XRHandProviderUtility.SubsystemUpdater(subsystem);
            }
            List<XRHandSubsystem> all = new List<XRHandSubsystem>();
            SubsystemManager.GetSubsystems(all);
            foreach (XRHandSubsystem other in all)
            {
                if (other == subsystem || !other.running)
                {
                    continue;
                }
                if (stopsOthers)
                {
                    other.Stop();
                    stopped.Add(other);
                    Debug.Log("inputanim: stopped the hands of the device, so that applications use the recorded hands");
                }
                else
                {
                    Debug.LogWarning(
                        "inputanim: the hands of the device run too; applications such as MRTK3 use the first running hands");
                }
            }
            subsystem.Start();
            updater.Start();
        }

        /// <summary>Stops the subsystem, and starts the subsystems that it had stopped.</summary>
        internal void Stop()
        {
            if (subsystem != null)
            {
                updater.Stop();
                subsystem.Stop();
            }
            foreach (XRHandSubsystem other in stopped)
            {
                other.Start();
            }
            stopped.Clear();
        }

        internal void Destroy()
        {
            if (subsystem != null)
            {
                updater.Destroy();
                subsystem.Destroy();
            }
            updater = null;
            subsystem = null;
        }
    }
}
