//! Reference spaces, locations, velocities and views.

use inputanim::Pose;
use inputanim_openxr::{Player, compose};
use openxr::{self as xr, sys};

use super::{
    App, INVALID, NO_HANDLE, OK, SPEED, TURN, code, extensions, list, moving, near, of, raw, same,
    sample,
};
use crate::alone;
use xr::ReferenceSpaceType as Kind;

const TIME: sys::Result = sys::Result::ERROR_TIME_INVALID;

fn posef([x, y, z]: [f32; 3], [qx, qy, qz, qw]: [f32; 4]) -> xr::Posef {
    xr::Posef {
        position: xr::Vector3f { x, y, z },
        orientation: xr::Quaternionf {
            x: qx,
            y: qy,
            z: qz,
            w: qw,
        },
    }
}

/// The rotation by 90° about +X.
const UP: [f32; 4] = [
    std::f32::consts::FRAC_1_SQRT_2,
    0.0,
    0.0,
    std::f32::consts::FRAC_1_SQRT_2,
];

fn close(found: xr::Vector3f, wanted: [f32; 3]) {
    let found = [found.x, found.y, found.z];
    let error = found
        .iter()
        .zip(wanted)
        .map(|(one, other)| (one - other).abs());
    assert!(error.fold(0.0, f32::max) < 2e-3, "{found:?} {wanted:?}");
}

#[test]
fn openxr_1_1_adds_the_local_space_on_the_floor() {
    let _alone = alone();
    for minor in [0, 1] {
        let app = App::with(&moving(0.1), minor, &extensions());
        let handle = app.session.as_raw();
        let found = list(Kind::VIEW, |capacity, count, all| {
            raw!(
                app.instance,
                enumerate_reference_spaces(handle, capacity, count, all)
            )
        });
        let mut wanted = vec![Kind::VIEW, Kind::LOCAL, Kind::LOCAL_FLOOR, Kind::STAGE];
        wanted.retain(|&kind| kind != Kind::LOCAL_FLOOR || minor == 1);
        assert_eq!(found, wanted);
        for kind in [
            Kind::VIEW,
            Kind::LOCAL,
            Kind::LOCAL_FLOOR,
            Kind::STAGE,
            Kind::UNBOUNDED_MSFT,
        ] {
            let unsupported = sys::Result::ERROR_REFERENCE_SPACE_UNSUPPORTED;
            let code = if wanted.contains(&kind) {
                OK
            } else {
                unsupported
            };
            let made = app
                .session
                .create_reference_space(kind, xr::Posef::IDENTITY);
            assert_eq!(super::code(made), code, "{kind:?}");
            let mut bounds = sys::Extent2Df {
                width: 7.0,
                height: 7.0,
            };
            let found = raw!(
                app.instance,
                get_reference_space_bounds_rect(handle, kind, &raw mut bounds)
            );
            // The recording has no bounds ("Reference Spaces").
            if code == OK {
                assert_eq!(found, sys::Result::SPACE_BOUNDS_UNAVAILABLE);
                assert_eq!([bounds.width, bounds.height], [0.0; 2]);
            } else {
                assert_eq!(found, unsupported);
            }
        }
    }
}

#[test]
fn the_local_space_on_the_floor_is_below_the_local_space() {
    let _alone = alone();
    let app = App::with(&moving(0.1), 1, &extensions());
    let locate = |kind, base| {
        let (space, base) = (
            app.reference(kind, xr::Posef::IDENTITY),
            app.reference(base, xr::Posef::IDENTITY),
        );
        space
            .locate(&base, xr::Time::from_nanos(1))
            .expect("no call fails")
    };
    same(
        &locate(Kind::LOCAL_FLOOR, Kind::LOCAL),
        Some(Pose::at([0.0, -1.7, 0.0])),
    );
    same(
        &locate(Kind::LOCAL_FLOOR, Kind::STAGE),
        Some(Pose::IDENTITY),
    );
}

#[test]
fn a_space_with_an_offset_is_where_both_offsets_place_it() {
    let _alone = alone();
    let app = App::new(&moving(0.1));
    // A base that is turned by 90° about +X sees +Y as −Z, and +Z as +Y.
    let base = app.reference(Kind::STAGE, posef([1.0, 0.0, 0.0], UP));
    let space = app.reference(Kind::STAGE, posef([1.0, 2.0, 3.0], [0.0, 0.0, 0.0, 1.0]));
    let found = space
        .locate(&base, xr::Time::from_nanos(1))
        .expect("no call fails");
    let rotation = [-UP[0], 0.0, 0.0, UP[3]];
    same(
        &found,
        Some(Pose {
            position: [0.0, 3.0, -2.0],
            rotation,
        }),
    );
    for rotation in [[0.0; 4], [0.0, 0.0, 0.0, 1.1], [f32::NAN, 0.0, 0.0, 1.0]] {
        let made = app
            .session
            .create_reference_space(Kind::STAGE, posef([0.0; 3], rotation));
        assert_eq!(code(made), sys::Result::ERROR_POSE_INVALID);
    }
}

#[test]
fn a_location_needs_spaces_and_a_positive_time() {
    let _alone = alone();
    let app = App::new(&moving(0.1));
    let stage = app.stage();
    for time in [0, -1, i64::MIN] {
        let time = xr::Time::from_nanos(time);
        assert_eq!(code(stage.locate(&stage, time)), TIME);
    }
    let time = xr::Time::from_nanos(1);
    let mut found = of!(SpaceLocation);
    let mut locate = |space, base| {
        raw!(
            app.instance,
            locate_space(space, base, time, &raw mut found)
        )
    };
    let (known, unknown) = (
        stage.as_raw(),
        app.reference(Kind::VIEW, xr::Posef::IDENTITY).as_raw(),
    );
    // The second space was dropped at once.
    assert_eq!(
        [
            locate(known, known),
            locate(known, unknown),
            locate(unknown, known)
        ],
        [OK, NO_HANDLE, NO_HANDLE]
    );
    assert_eq!(raw!(app.instance, destroy_space(unknown)), NO_HANDLE);
}

#[test]
fn many_spaces_are_located_like_each_of_them() {
    let _alone = alone();
    let mut app = App::new(&moving(0.5));
    app.begin();
    let time = (0..9).map(|_| app.frame()).last().expect("frames");
    let turned = posef([0.3, 0.2, 0.1], UP);
    let base = app.reference(Kind::LOCAL, turned);
    let spaces = [Kind::VIEW, Kind::LOCAL, Kind::STAGE].map(|kind| app.reference(kind, turned));
    let handles = spaces.each_ref().map(xr::Space::as_raw);
    let locate = app
        .instance
        .exts()
        .khr_locate_spaces
        .expect("the extension")
        .locate_spaces;
    let located = |count: u32, velocity_count: u32, time| {
        // SAFETY: zero is valid for numbers.
        let (mut places, mut speeds): ([sys::SpaceLocationData; 3], [sys::SpaceVelocityData; 3]) =
            unsafe { std::mem::zeroed() };
        let info = of!(SpacesLocateInfo {
            base_space: base.as_raw(),
            time: time,
            space_count: count,
            spaces: handles.as_ptr(),
        });
        let mut velocities = of!(SpaceVelocities {
            velocity_count: velocity_count,
            velocities: speeds.as_mut_ptr(),
        });
        let mut locations = of!(SpaceLocations {
            next: (&raw mut velocities).cast(),
            location_count: 3,
            locations: places.as_mut_ptr(),
        });
        // SAFETY: the pointers are valid.
        let result = unsafe { locate(app.session.as_raw(), &raw const info, &raw mut locations) };
        (result, places, speeds)
    };
    let (result, places, speeds) = located(3, 3, time);
    assert_eq!(result, OK);
    for ((space, place), speed) in spaces.iter().zip(places).zip(speeds) {
        let (location, velocity) = space.relate(&base, time).expect("no call fails");
        assert_eq!(
            (location.location_flags, location.pose),
            (place.location_flags, place.pose)
        );
        assert_eq!(velocity.velocity_flags, speed.velocity_flags);
        assert_eq!(velocity.linear_velocity, speed.linear_velocity);
        assert_eq!(velocity.angular_velocity, speed.angular_velocity);
    }
    assert_ne!(speeds[0].linear_velocity, xr::Vector3f::default());
    for (count, velocity_count) in [(0, 3), (2, 3), (3, 2)] {
        assert_eq!(located(count, velocity_count, time).0, INVALID);
    }
    assert_eq!(located(3, 3, xr::Time::from_nanos(0)).0, TIME);
}

#[test]
fn a_space_with_an_offset_moves_with_the_turn_of_its_origin() {
    let _alone = alone();
    let mut app = App::new(&moving(0.5));
    let stage = app.stage();
    let offset = posef([0.0, 0.0, -1.0], [0.0, 0.0, 0.0, 1.0]);
    let ahead = app.reference(Kind::VIEW, offset);
    let first = ahead
        .relate(&stage, xr::Time::from_nanos(1))
        .expect("no call fails")
        .1;
    // Nothing moves before playback.
    close(first.linear_velocity, [0.0; 3]);
    app.begin();
    let time = (0..13).map(|_| app.frame()).last().expect("frames");
    let both = xr::SpaceVelocityFlags::LINEAR_VALID | xr::SpaceVelocityFlags::ANGULAR_VALID;
    let relate = |space: &xr::Space, base: &xr::Space| {
        let velocity = space.relate(base, time).expect("no call fails").1;
        assert_eq!(velocity.velocity_flags, both);
        (velocity.linear_velocity, velocity.angular_velocity)
    };
    // The velocity of a point of a rigid body is v + ω × r.
    let (turn, angle) = (-TURN, -TURN * app.seconds(time));
    let (rx, rz) = (-angle.sin(), -angle.cos());
    let wanted = [SPEED + turn * rz, 0.0, -turn * rx];
    let (linear, angular) = relate(&ahead, &stage);
    close(linear, wanted);
    close(angular, [0.0, turn, 0.0]);
    // Velocities have the axes of the base ("Locating Spaces").
    let turned = app.reference(Kind::STAGE, posef([0.0; 3], UP));
    let (linear, angular) = relate(&ahead, &turned);
    close(linear, [wanted[0], wanted[2], -wanted[1]]);
    close(angular, [0.0, 0.0, -turn]);
    let (linear, angular) = relate(&ahead, &ahead);
    close(linear, [0.0; 3]);
    close(angular, [0.0; 3]);
}

#[test]
fn views_are_beside_the_head_and_have_the_angles_of_the_settings() {
    let _alone = alone();
    let mut settings = sample("wave.bin");
    settings.eye_distance = Some(0.07);
    settings.view_angles = Some([40.0, 30.0]);
    let player = Player::load(settings.clone()).expect("the sample");
    let mut app = App::new(&settings);
    app.begin();
    let stage = app.stage();
    let stereo = xr::ViewConfigurationType::PRIMARY_STEREO;
    for _ in 0..20 {
        let time = app.frame();
        let head = player.scene_at(app.seconds(time)).head;
        let (flags, views) = app
            .session
            .locate_views(stereo, time, &stage)
            .expect("no call fails");
        assert_eq!(flags, xr::ViewStateFlags::from_raw(0xf));
        assert_eq!(views.len(), 2);
        for (view, x) in views.iter().zip([-0.035, 0.035]) {
            near(view.pose, compose(head, Pose::at([x, 0.0, 0.0])));
            let fov = view.fov;
            let found = [
                fov.angle_left,
                fov.angle_right,
                fov.angle_down,
                fov.angle_up,
            ];
            assert_eq!(found, [-40.0, 40.0, -30.0, 30.0].map(f32::to_radians));
        }
    }
    let locate = |kind, time, space: &xr::Space| {
        code(
            app.session
                .locate_views(kind, xr::Time::from_nanos(time), space),
        )
    };
    let mono = xr::ViewConfigurationType::PRIMARY_MONO;
    let unsupported = sys::Result::ERROR_VIEW_CONFIGURATION_TYPE_UNSUPPORTED;
    assert_eq!(locate(mono, 1, &stage), unsupported);
    assert_eq!(locate(stereo, 0, &stage), TIME);
    let dropped = stage.as_raw();
    drop(stage);
    let info = of!(ViewLocateInfo {
        view_configuration_type: stereo,
        display_time: xr::Time::from_nanos(1),
        space: dropped,
    });
    let mut state = of!(ViewState);
    let result = raw!(
        app.instance,
        locate_views(
            app.session.as_raw(),
            &raw const info,
            &raw mut state,
            0,
            &mut 0,
            std::ptr::null_mut()
        )
    );
    assert_eq!(result, NO_HANDLE);
}
