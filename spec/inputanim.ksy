meta:
  id: inputanim
  title: MRTK input animation
  file-extension: bin
  license: CC0-1.0
  ks-version: "0.10"
  encoding: UTF-8
  endian: le
doc: |
  A recording of head, hands and gaze, as the Mixed Reality Toolkit for Unity
  (MRTK 2) saves it: a header, animation curves in a fixed order, and, in
  most layouts, a list of named markers.

  Version 1.0 and version 1.1 each occur in several layouts, and no field states
  which one a file has. They differ in two points: the curves of poses and of
  the gaze have full keys (28 bytes) or simple keys (8 bytes), and the file
  ends with a marker list or not. A program detects the layout by trying each
  candidate (section 3.3 of the specification). Kaitai Struct cannot do this,
  so this description uses these rules:

  - Keys of version 1.0 are always full.
  - Keys of version 1.1 are simple, as MRTK writes them, unless the parameter
    `full_keys_in_1_1` is true. Pass `true` for the layouts `documented-1.1` and
    `mixed-1.1-full-with-markers`. Pass `false` for all others, or omit the
    argument if the target language allows this.
  - The marker list is read if any byte is left after the last curve.

  | layout                        | version | `full_keys_in_1_1` | marker list |
  |-------------------------------|---------|--------------------|-------------|
  | `mrtk-1.0`                    | 1.0     | no effect          | yes         |
  | `documented-1.0`              | 1.0     | no effect          | no          |
  | `mrtk-1.1`                    | 1.1     | false              | yes         |
  | `documented-1.1`              | 1.1     | true               | no          |
  | `mixed-1.1-simple-no-markers` | 1.1     | false              | no          |
  | `mixed-1.1-full-with-markers` | 1.1     | true               | yes         |

  Reading fails if the magic number or the version is different, if a count is
  negative, or if the file is too short. With a wrong parameter, reading
  almost always fails in one of these ways, or leaves bytes in `trailing`.
  This description does not check three conditions for a well-formed file
  (section 3.6 of the specification): `trailing` is empty, marker names are
  valid UTF-8, and their lengths are in the shortest form.

  Mode numbers that are not in the enumerations are allowed.
doc-ref: docs/format.md
params:
  - id: full_keys_in_1_1
    type: bool
    doc: |
      True if the curves of poses and of the gaze in a file of version 1.1
      have full keys. Has no effect on a file of version 1.0.
seq:
  - id: header
    type: header
  - id: flags
    type: flags
    if: header.version_minor == 1
    doc: Absent in version 1.0, which always contains camera and hands.
  - id: camera
    type: pose(has_full_keys)
    if: has_camera
  - id: left_tracked
    type: boolean_curve
    if: has_hands
    doc: On while the left hand is tracked.
  - id: right_tracked
    type: boolean_curve
    if: has_hands
  - id: left_pinching
    type: boolean_curve
    if: has_hands
    doc: On while thumb and index finger of the left hand touch.
  - id: right_pinching
    type: boolean_curve
    if: has_hands
  - id: left_joints
    type: hand_joints(has_full_keys)
    if: has_hands
  - id: right_joints
    type: hand_joints(has_full_keys)
    if: has_hands
  - id: gaze
    type: ray(has_full_keys)
    if: has_gaze
  - id: markers
    type: marker_list
    if: not _io.eof
  - id: trailing
    size-eos: true
    doc: Empty in a well-formed file.
instances:
  has_full_keys:
    value: header.version_minor == 0 or full_keys_in_1_1
  has_camera:
    value: header.version_minor == 0 or flags.camera != 0
  has_hands:
    value: header.version_minor == 0 or flags.hand != 0
  has_gaze:
    value: header.version_minor == 1 and flags.gaze != 0
types:
  header:
    doc-ref: docs/format.md, section 1.2
    seq:
      - id: magic
        contents: [0xc6, 0x42, 0x9e, 0x0f, 0x6e, 0xaf, 0x8f, 0x6a]
        doc: The i64 0x6a8faf6e0f9e42c6 (7678548776933278406).
      - id: version_major
        type: s4
        valid: 1
      - id: version_minor
        type: s4
        valid:
          any-of: [0, 1]
  flags:
    doc: Each flag is on if its byte is not 0. Writers use 1.
    doc-ref: docs/format.md, section 1.3
    seq:
      - id: camera
        type: u1
      - id: hand
        type: u1
      - id: gaze
        type: u1
  pose:
    doc: Position in metres and rotation as a quaternion, one curve per component.
    doc-ref: docs/format.md, section 2.1
    params:
      - id: has_full_keys
        type: bool
    seq:
      - id: position_x
        type: float_curve(has_full_keys)
      - id: position_y
        type: float_curve(has_full_keys)
      - id: position_z
        type: float_curve(has_full_keys)
      - id: rotation_x
        type: float_curve(has_full_keys)
      - id: rotation_y
        type: float_curve(has_full_keys)
      - id: rotation_z
        type: float_curve(has_full_keys)
      - id: rotation_w
        type: float_curve(has_full_keys)
  ray:
    doc: Origin in metres and direction, one curve per component.
    doc-ref: docs/format.md, section 2.2
    params:
      - id: has_full_keys
        type: bool
    seq:
      - id: origin_x
        type: float_curve(has_full_keys)
      - id: origin_y
        type: float_curve(has_full_keys)
      - id: origin_z
        type: float_curve(has_full_keys)
      - id: direction_x
        type: float_curve(has_full_keys)
      - id: direction_y
        type: float_curve(has_full_keys)
      - id: direction_z
        type: float_curve(has_full_keys)
  hand_joints:
    doc-ref: docs/format.md, section 2.3
    params:
      - id: has_full_keys
        type: bool
    seq:
      - id: joints
        type: hand_joint(_index, has_full_keys)
        repeat: expr
        repeat-expr: 27
  hand_joint:
    doc: The pose of one joint. A joint that was not recorded has seven empty curves.
    params:
      - id: index
        type: s4
      - id: has_full_keys
        type: bool
    seq:
      - id: pose
        type: pose(has_full_keys)
    instances:
      joint:
        value: index
        enum: joint
  float_curve:
    doc: |
      A curve of a pose or of the gaze. Exactly one of `full_keys` and
      `simple_keys` is present, even if it contains no keys.
    doc-ref: docs/format.md, sections 1.4 to 1.6
    params:
      - id: has_full_keys
        type: bool
    seq:
      - id: header
        type: curve_header
      - id: full_keys
        type: full_key
        repeat: expr
        repeat-expr: header.num_keys
        if: has_full_keys
      - id: simple_keys
        type: simple_key
        repeat: expr
        repeat-expr: header.num_keys
        if: not has_full_keys
  boolean_curve:
    doc-ref: docs/format.md, sections 1.4 and 1.7
    seq:
      - id: header
        type: curve_header
      - id: keys
        type: boolean_key
        repeat: expr
        repeat-expr: header.num_keys
  curve_header:
    seq:
      - id: pre_wrap
        type: s4
        enum: wrap_mode
        doc: The values of the curve before its first key.
      - id: post_wrap
        type: s4
        enum: wrap_mode
        doc: The values of the curve at and after its last key.
      - id: num_keys
        type: s4
        doc: At most as many as fit into the rest of the file, at 8 bytes per key.
        valid:
          min: 0
          max: (_io.size - _io.pos) / 8
  full_key:
    seq:
      - id: time
        type: f4
        doc: Seconds.
      - id: value
        type: f4
      - id: in_tangent
        type: f4
        doc: Slope before the key, in value per second.
      - id: out_tangent
        type: f4
        doc: Slope after the key, in value per second.
      - id: in_weight
        type: f4
      - id: out_weight
        type: f4
      - id: weighted_mode
        type: s4
        enum: weighted_mode
    -webide-representation: '{time:dec} s: {value:dec}'
  simple_key:
    seq:
      - id: time
        type: f4
        doc: Seconds.
      - id: value
        type: f4
    -webide-representation: '{time:dec} s: {value:dec}'
  boolean_key:
    seq:
      - id: time
        type: f4
        doc: Seconds.
      - id: value
        type: f4
    instances:
      is_on:
        value: value > 0.5
    -webide-representation: '{time:dec} s: {value:dec}'
  marker_list:
    doc-ref: docs/format.md, section 1.8
    seq:
      - id: num_markers
        type: s4
        doc: At most as many as fit into the rest of the file, at 5 bytes per marker.
        valid:
          min: 0
          max: (_io.size - _io.pos) / 5
      - id: markers
        type: marker
        repeat: expr
        repeat-expr: num_markers
  marker:
    seq:
      - id: time
        type: f4
        doc: Seconds.
      - id: name
        type: net_string
    -webide-representation: '{time:dec} s: {name.text}'
  net_string:
    doc: A string as the .NET BinaryWriter writes it.
    doc-ref: docs/format.md, section 1.9
    seq:
      - id: num_bytes
        type: seven_bit_number
      - id: utf8
        size: num_bytes.value
    instances:
      text:
        value: utf8.to_s("UTF-8")
  seven_bit_number:
    doc: An unsigned LEB128 number of at most five bytes, below 2^31.
    seq:
      - id: byte_0
        type: u1
      - id: byte_1
        type: u1
        if: has_1
      - id: byte_2
        type: u1
        if: has_2
      - id: byte_3
        type: u1
        if: has_3
      - id: byte_4
        type: u1
        if: has_4
        valid:
          max: 0x07
    instances:
      has_1:
        value: byte_0 >= 0x80
      has_2:
        value: has_1 and byte_1 >= 0x80
      has_3:
        value: has_2 and byte_2 >= 0x80
      has_4:
        value: has_3 and byte_3 >= 0x80
      value:
        value: >-
          (byte_0 & 0x7f)
          + (has_1 ? (byte_1 & 0x7f) << 7 : 0)
          + (has_2 ? (byte_2 & 0x7f) << 14 : 0)
          + (has_3 ? (byte_3 & 0x7f) << 21 : 0)
          + (has_4 ? byte_4 << 28 : 0)
enums:
  wrap_mode:
    0:
      id: default
      doc: Treated as loop.
    1:
      id: once
      doc: Holds the end value. Also named Clamp.
    2:
      id: loop
    4:
      id: ping_pong
    8:
      id: clamp_forever
      doc: Holds the end value. What MRTK writes.
  weighted_mode:
    0: none
    1:
      id: in_only
      doc: In. (`in` alone is a reserved word of several target languages.)
    2:
      id: out_only
      doc: Out.
    3:
      id: both
      doc: What MRTK writes, with both weights 0.
  joint:
    0: none
    1: wrist
    2: palm
    3: thumb_metacarpal_joint
    4: thumb_proximal_joint
    5: thumb_distal_joint
    6: thumb_tip
    7: index_metacarpal
    8: index_knuckle
    9: index_middle_joint
    10: index_distal_joint
    11: index_tip
    12: middle_metacarpal
    13: middle_knuckle
    14: middle_middle_joint
    15: middle_distal_joint
    16: middle_tip
    17: ring_metacarpal
    18: ring_knuckle
    19: ring_middle_joint
    20: ring_distal_joint
    21: ring_tip
    22: pinky_metacarpal
    23: pinky_knuckle
    24: pinky_middle_joint
    25: pinky_distal_joint
    26: pinky_tip
