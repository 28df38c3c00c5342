using UnityEngine;

namespace InputAnim.Unity
{
    /// <summary>
    /// Shows the joints of both hands of a player as spheres, in scenes without another view of hands. It needs no package.
    /// </summary>
    [AddComponentMenu("Input Recording/Hand View")]
    [DefaultExecutionOrder(-29000)]
    public sealed class HandView : MonoBehaviour
    {
        [SerializeField]
        [Tooltip("The player; by default the one on the same object.")]
        private InputPlayer player;

        [SerializeField]
        [Tooltip("The diameter of a joint in metres.")]
        private float diameter = 0.012f;

        [SerializeField]
        [Tooltip("The transform that the head of the recording moves, such as a camera. Leave it empty to keep the camera.")]
        private Transform head;

        private readonly GameObject[] joints = new GameObject[2 * CurveNumbers.Joints];

        /// <summary>The player; by default the one on the same object.</summary>
        public InputPlayer Player
        {
            get { return player; }
            set { player = value; }
        }

        /// <summary>The transform that the head of the recording moves; null for none.</summary>
        public Transform Head
        {
            get { return head; }
            set { head = value; }
        }

        private void Awake()
        {
            player = player != null ? player : GetComponent<InputPlayer>();
            for (int index = 0; index < joints.Length; index++)
            {
                // The entry None is not a joint.
                if (index % CurveNumbers.Joints == 0)
                {
                    continue;
                }
                GameObject joint = GameObject.CreatePrimitive(PrimitiveType.Sphere);
                Collider body = joint.GetComponent<Collider>();
                if (body != null)
                {
                    Destroy(body);
                }
                joint.name = (Side)(index / CurveNumbers.Joints) + " " + (HandJoint)(index % CurveNumbers.Joints);
                joint.transform.SetParent(transform, false);
                joint.transform.localScale = new Vector3(diameter, diameter, diameter);
                joint.SetActive(false);
                joints[index] = joint;
            }
        }

        private void Update()
        {
            Frame frame = player == null ? null : player.Frame;
            for (int index = 0; index < joints.Length; index++)
            {
                if (joints[index] == null)
                {
                    continue;
                }
                InputPose pose = default(InputPose);
                bool isShown = frame != null && frame.Hand((Side)(index / CurveNumbers.Joints))
                    .TryGetJoint((HandJoint)(index % CurveNumbers.Joints), out pose);
                joints[index].SetActive(isShown);
                if (isShown)
                {
                    joints[index].transform.SetPositionAndRotation(pose.Position(), pose.Rotation());
                }
            }
            if (head != null && frame != null && frame.HasHead)
            {
                head.SetPositionAndRotation(frame.Head.Position(), frame.Head.Rotation());
            }
        }
    }
}
