using System.Collections;
using System.Collections.Generic;
using InputAnim.Unity;
using NUnit.Framework;
using UnityEngine.TestTools;

namespace InputAnim.Samples
{
    /// <summary>PlayMode tests that play a recording. They need the sample "Recordings".</summary>
    public sealed class PinchTests
    {
        /// <summary>The recording has two pinches of the right hand.</summary>
        [UnityTest]
        public IEnumerator TheRecordingPinchesTwice()
        {
            int pinches = 0;
            yield return InputPlayback.Play("pinch-drag", player =>
            {
                player.Rate = 4f;
                player.OnPinchDown.AddListener(side => pinches++);
            });
            Assert.AreEqual(2, pinches);
        }

        /// <summary>Playback in steps does not depend on the speed of the machine.</summary>
        [UnityTest]
        public IEnumerator MarkersComeInTheirOrder()
        {
            List<string> markers = new List<string>();
            yield return InputPlayback.Step("pinch-drag", 30f, player => player.OnMarker.AddListener(markers.Add));
            Assert.AreEqual("reach pinch release reach pinch", string.Join(" ", markers.ToArray()));
        }
    }
}
