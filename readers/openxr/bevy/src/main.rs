//! An OpenXR application with Bevy. It draws a few cubes and a sphere at each joint of both hands, until the session ends.
//! It prints a line of JSON for each frame in which the session runs:
//!
//! - `time`: the time of the frame in nanoseconds
//! - `head`: the pose of the head in the space `STAGE`, as x, y, z of the position and x, y, z, w of the rotation
//! - `left`, `right`: the poses of the 26 joints of a hand in OpenXR's order, or null while the hand is not tracked
//! - `left_pinch`, `right_pinch`: the state of the action select, or null while the action is not active

use std::fmt::Debug;
use std::time::Duration;

use bevy::app::ScheduleRunnerPlugin;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::log::LogPlugin;
use bevy::log::tracing_subscriber::fmt;
use bevy::prelude::*;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::window::ExitCondition;
use bevy_mod_openxr::action_binding::OxrSuggestActionBinding;
use bevy_mod_openxr::action_set_attaching::OxrAttachActionSet;
use bevy_mod_openxr::action_set_syncing::{OxrActionSetSyncSet, OxrSyncActionSet};
use bevy_mod_openxr::init::OxrInitPlugin;
use bevy_mod_openxr::resources::{OxrFrameState, OxrInstance};
use bevy_mod_openxr::session::OxrSession;
use bevy_mod_openxr::spaces::OxrSpaceLocationFlags;
use bevy_mod_openxr::{add_xr_plugins, openxr_session_running};
use bevy_mod_xr::camera::XrCamera;
use bevy_mod_xr::hands::{HandBone, LeftHand, XrHandBoneRadius};
use bevy_mod_xr::session::{XrSessionCreated, XrSessionDestroyedMessage, XrState};
use openxr::ReferenceSpaceType;

fn main() -> AppExit {
    let plugins = add_xr_plugins(DefaultPlugins)
        .set(WindowPlugin {
            primary_window: None,
            exit_condition: ExitCondition::DontExit,
            ..default()
        })
        .set(LogPlugin {
            // The frames are printed to the standard output.
            fmt_layer: |_| Some(Box::new(fmt::Layer::default().with_writer(std::io::stderr))),
            ..default()
        })
        .set(OxrInitPlugin {
            // Otherwise the first frames lack objects, in some runs more than in others.
            synchronous_pipeline_compilation: true,
            ..default()
        })
        .add(ScheduleRunnerPlugin::run_loop(Duration::ZERO))
        // With it, poses are for one frame later than the time of the frame, and the end of a session may panic.
        .disable::<PipelinedRenderingPlugin>();
    App::new()
        .add_plugins(plugins)
        .add_observer(set_tone_mapping)
        .add_observer(add_sphere)
        .add_systems(Startup, create_scene)
        .add_systems(XrSessionCreated, (create_head, create_actions))
        .add_systems(
            PreUpdate,
            sync_actions
                .before(OxrActionSetSyncSet)
                .run_if(openxr_session_running),
        )
        .add_systems(Update, place_spheres)
        .add_systems(Last, (print_frame.run_if(openxr_session_running), exit))
        .run()
}

/// The mesh and the material of the joints.
#[derive(Resource)]
struct JointSphere(Mesh3d, MeshMaterial3d<StandardMaterial>);

fn create_scene(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let cube = meshes.add(Cuboid::from_length(0.2));
    for x in [-0.5, 0.0, 0.5] {
        let material = materials.add(Color::srgb(0.5 - x, 0.5, 0.5 + x));
        commands.spawn((
            Mesh3d(cube.clone()),
            MeshMaterial3d(material),
            Transform::from_xyz(x, 1.3, -1.2),
        ));
    }
    commands.spawn(PointLight::default());
    commands.insert_resource(JointSphere(
        Mesh3d(meshes.add(Sphere::new(1.0))),
        MeshMaterial3d(materials.add(Color::srgb(1.0, 0.5, 0.1))),
    ));
}

/// Turns tone mapping off. The default needs a table that is an optional feature of Bevy.
fn set_tone_mapping(event: On<Add, XrCamera>, mut commands: Commands) {
    commands.entity(event.entity).insert(Tonemapping::None);
}

fn add_sphere(event: On<Add, HandBone>, sphere: Res<JointSphere>, mut commands: Commands) {
    let bundle = (sphere.0.clone(), sphere.1.clone(), Visibility::Hidden);
    commands.entity(event.entity).insert(bundle);
}

/// Gives each sphere the radius of its joint. The position is already in the transform.
fn place_spheres(
    mut joints: Query<(
        &OxrSpaceLocationFlags,
        &XrHandBoneRadius,
        &mut Transform,
        &mut Visibility,
    )>,
) {
    for (flags, radius, mut transform, mut visibility) in &mut joints {
        *visibility = if flags.pos_valid() {
            Visibility::Visible
        } else {
            Visibility::Hidden
        };
        transform.scale = Vec3::splat(radius.0);
    }
}

/// The head. Bevy updates its transform before each frame.
#[derive(Component)]
struct Head;

fn create_head(session: Res<OxrSession>, mut commands: Commands) -> Result {
    let space = session.create_reference_space(ReferenceSpaceType::VIEW, Isometry3d::IDENTITY)?;
    commands.spawn((*space, Head));
    Ok(())
}

#[derive(Resource)]
struct Actions {
    set: openxr::ActionSet,
    select: openxr::Action<bool>,
    /// The left and the right hand.
    hands: [openxr::Path; 2],
}

fn create_actions(
    instance: Res<OxrInstance>,
    mut suggest: MessageWriter<OxrSuggestActionBinding>,
    mut attach: MessageWriter<OxrAttachActionSet>,
    mut commands: Commands,
) -> Result {
    let hands = [
        instance.string_to_path("/user/hand/left")?,
        instance.string_to_path("/user/hand/right")?,
    ];
    let set = instance.create_action_set("hands", "Hands", 0)?;
    let select = set.create_action("select", "Select", &hands)?;
    suggest.write(OxrSuggestActionBinding {
        action: select.as_raw(),
        interaction_profile: "/interaction_profiles/khr/simple_controller".into(),
        bindings: vec![
            "/user/hand/left/input/select/click".into(),
            "/user/hand/right/input/select/click".into(),
        ],
    });
    attach.write(OxrAttachActionSet(set.clone()));
    commands.insert_resource(Actions { set, select, hands });
    Ok(())
}

fn sync_actions(actions: Res<Actions>, mut sync: MessageWriter<OxrSyncActionSet>) {
    sync.write(OxrSyncActionSet(actions.set.clone()));
}

fn print_frame(
    frame: Res<OxrFrameState>,
    session: Res<OxrSession>,
    actions: Res<Actions>,
    head: Single<(&Transform, &OxrSpaceLocationFlags), With<Head>>,
    joints: Query<(&HandBone, &Transform, &OxrSpaceLocationFlags, Has<LeftHand>)>,
) -> Result {
    let [left_pinch, right_pinch] = actions.hands.map(|hand| {
        let state = actions.select.state(&session, hand)?;
        Ok::<_, openxr::sys::Result>(json(state.is_active.then_some(state.current_state)))
    });
    let [left, right] = [true, false].map(|is_left| {
        let mut hand: Vec<_> = joints.iter().filter(|joint| joint.3 == is_left).collect();
        hand.sort_by_key(|joint| *joint.0 as usize);
        let poses = hand.into_iter().map(|joint| pose(joint.1, joint.2));
        json(poses.collect::<Option<Vec<_>>>())
    });
    println!(
        r#"{{"time":{},"head":{},"left":{left},"right":{right},"left_pinch":{},"right_pinch":{}}}"#,
        frame.predicted_display_time.as_nanos(),
        json(pose(head.0, head.1)),
        left_pinch?,
        right_pinch?
    );
    Ok(())
}

/// Returns the position and the rotation of a space; `None` if it is not located.
fn pose(transform: &Transform, flags: &OxrSpaceLocationFlags) -> Option<[f32; 7]> {
    let (p, r) = (transform.translation, transform.rotation);
    (flags.pos_valid() && flags.rot_valid()).then_some([p.x, p.y, p.z, r.x, r.y, r.z, r.w])
}

/// Returns JSON of a value. Rust's debug format of lists, numbers and booleans is JSON.
fn json(value: Option<impl Debug>) -> String {
    value.map_or("null".to_owned(), |value| format!("{value:?}"))
}

fn exit(
    mut destroyed: MessageReader<XrSessionDestroyedMessage>,
    state: Res<XrState>,
    mut exit: MessageWriter<AppExit>,
) {
    if destroyed.read().next().is_some() {
        exit.write(AppExit::Success);
    } else if *state == XrState::Unavailable {
        exit.write(AppExit::error());
    }
}
