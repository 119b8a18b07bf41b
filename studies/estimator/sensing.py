# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What each set of sensors lets a robot know of the floor, when, and how surely."""

from __future__ import annotations

import math
from typing import Any, Callable, Iterator, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import AnyArray, Array
from biped_slip.constants import GRAVITY
from biped_slip.estimation.motion_config import MotionConfig
from biped_slip.estimation.planar_feet import (
    CONTACT_SHARE,
    LEAVE_LOAD_SHARE,
    StanceLoads,
    stance_age,
)
from biped_slip.friction_estimation.interval.config import IntervalConfig, SoleModel
from biped_slip.friction_estimation.interval.estimator import IntervalEstimator
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.simulation.humanoid.job import HumanoidJob
from biped_slip.simulation.humanoid.scenario import (
    LEG_LEVER,
    LEG_STIFFNESS,
    HumanoidWalkConfig,
)
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import (
    ScenarioConfig,
    chosen_scenario,
    perturbed,
)
from biped_slip.simulation.planar.walk import Walk as PlanarWalk
from biped_slip.simulation.stances import stances
from biped_slip.walking.humanoid import HumanoidOutput
from studies.estimator.certificate import SHIPPED, answers, realise
from studies.estimator.certificate import judged as judged_samples
from studies.estimator.conditions import I1, P2, P3
from studies.estimator.rivals import STEP as CRAMER_RAO_STEP
from studies.estimator.rivals import bound as cramer_rao_bound
from studies.estimator.rivals import noise, straight_path
from studies.estimator.steps import Answers, follow_feet
from studies.frame import NAN
from studies.ladder import Rung, config_of
from synthetic import contacts
from synthetic.contacts import Contact
from synthetic.stances import (
    BODY_WEIGHT,
    PERIOD,
    SAMPLES,
    START,
    Observed,
    Sensors,
    Stances,
    Walk,
    smooth,
    told,
)

# Double support seen by joint encoders alone: both feet give way, the legs give way,
# and nobody sees which.
#
# The feet push against each other with one force f. The chain from sole to sole then
# grows by the motion of both contacts and by the legs' compliance, and encoders show
# that sum. Whatever the stronger foot adds bends less than the weaker one's part, so
# that it passes for compliance; and the stronger foot, judged by the weaker one's bend,
# is thought weaker.

KNOWN_TO = 0.2  # sd of what is believed of the legs' stiffness, as a share
LEVERS = (0.8, 0.4, 0.1)  # [m] from a sole to the joints of its leg
BITS = 18
TICK = 2.0 * math.pi / 2**BITS  # [rad]
SWAY = 2e-3  # [rad] amplitude of what the joints do besides
ENCODERS = Sensors(
    kind="position",
    sigma=TICK / math.sqrt(12.0) * math.sqrt(2.0 * sum(r * r for r in LEVERS)),
    quantisation=0.0,
    force_sigma=1.0,
    force_offset=1.0,
    latency=1,
)  # white as the joints move
CHAIN = SoleModel(
    calibrated=True,
    compliance=2.0 / LEG_STIFFNESS,
    compliance_spread=math.sqrt(2.0) * KNOWN_TO / LEG_STIFFNESS,
)


class Push(NamedTuple):
    """What is drawn of a double support."""

    contact: Contact = Contact()
    largest_share: tuple[float, float] = (0.85, 0.97)  # of the weaker foot's limit
    other_floor: bool = False  # the feet stand on floors of their own


class Chain(NamedTuple):
    """Both feet of the same double supports: the motion of each is the chain's."""

    feet: tuple[Stances, Stances]
    # how far the soles have moved apart, and the legs given way (stances, samples) [m]
    chain: AnyArray


def draw(
    rng: np.random.Generator, count: int, push: Push, soles: AnyArray | None = None
) -> Chain:
    """Draw double supports: the load wanders, the feet push against each other once.

    ``soles``, s_p (count,) [m], replaces what would be drawn.
    """
    mu = np.exp(rng.uniform(math.log(0.1), math.log(1.2), (2, count)))
    if not push.other_floor:
        mu[1] = mu[0]
    drawn = np.exp(rng.uniform(math.log(0.2e-3), math.log(3e-3), count))
    s_p = drawn if soles is None else soles
    weight = rng.uniform(400.0, 900.0, count)
    duration = rng.uniform(0.4, 0.6, count)
    first, last = rng.uniform(0.3, 0.7, (2, count))
    largest = rng.uniform(*push.largest_share, count)
    tau = np.arange(SAMPLES) * PERIOD / duration[:, None]
    share = first[:, None] + (last - first)[:, None] * smooth(tau)
    edge = np.minimum(1.0, tau / 0.08) * np.clip((1.0 - tau) / 0.08, 0.0, 1.0)
    normal = weight[:, None] * edge * np.array([share, 1.0 - share])
    length = np.floor(duration / PERIOD).astype(np.int64)
    force = smooth((tau - 0.1) / 0.75) * weight[:, None] * edge
    ratio = np.where(normal > 0.0, force / np.maximum(normal, 1.0), 0.0)
    used = np.max(
        np.where(np.arange(SAMPLES) < length[:, None], ratio / mu[..., None], 0.0),
        axis=(0, 2),
    )
    ratio *= (largest / used)[None, :, None]
    planar = np.stack([ratio, np.zeros_like(ratio)], axis=-1)
    moved = [
        contacts.contact_motion(push.contact, planar[k], normal[k], mu[k], s_p, PERIOD)
        for k in range(2)
    ]
    legs = (
        np.sum(1.0 + KNOWN_TO * rng.standard_normal((2, count)), axis=0) / LEG_STIFFNESS
    )
    chain = moved[0][..., 0] + moved[1][..., 0] + legs[:, None] * ratio[0] * normal[0]
    profile = np.zeros(count, dtype=np.int64)
    one, two = (
        Stances(
            mu=mu[k],
            s_p=s_p,
            length=length,
            kind=profile,
            ratio=planar[k],
            normal=normal[k],
            displacement=moved[k],
        )
        for k in range(2)
    )
    return Chain((one, two), chain)


def observe(rng: np.random.Generator, chain: Chain) -> tuple[Observed, Observed]:
    """Simulate encoders and ankle sensors of both feet.

    Each joint is seen in its own ticks, and forces are late by a sample.
    """
    count = chain.chain.shape[0]
    time = np.arange(SAMPLES) * PERIOD
    levers = np.array(LEVERS + LEVERS)
    sway = SWAY * np.sin(
        2.0
        * math.pi
        * (
            rng.uniform(0.5, 3.0, (6, count, 1)) * time
            + rng.uniform(0, 1, (6, count, 1))
        )
    )
    sway -= (
        (levers[:, None, None] * sway).sum(axis=0)
        * levers[:, None, None]
        / float(levers @ levers)
    )
    angles = sway + chain.chain * levers[:, None, None] / float(levers @ levers)
    shown = np.einsum("j,jks->ks", levers, TICK * np.round(angles / TICK))
    moved = np.stack([shown, np.zeros_like(shown)], axis=-1)
    return _seen(rng, chain.feet[0], moved), _seen(rng, chain.feet[1], moved)


def _seen(rng: np.random.Generator, foot: Stances, moved: AnyArray) -> Observed:
    offset = rng.uniform(-1.0, 1.0, (2, foot.mu.size, 1)) * ENCODERS.force_offset
    noise = ENCODERS.force_sigma * rng.standard_normal((2, foot.mu.size, SAMPLES))
    force = np.zeros_like(moved)
    force[..., 0] = foot.ratio[..., 0] * foot.normal + noise[0] + offset[0]
    late = np.maximum(np.arange(SAMPLES) - ENCODERS.latency, 0)
    return Observed(
        force[:, late], (foot.normal + noise[1] + offset[1])[:, late], moved
    )


def bound(chain: Chain, stance: int, foot: int) -> float:
    """Compute the Cramer-Rao sd of ln mu of a foot when it reaches 0.9 of its limit.

    A foot that does not reach it is taken at its largest load.

    Not known are both mu, s_p, where the chain started, and its compliance but for its
    belief.
    """
    own = chain.feet[foot].share[stance]
    end = int(np.argmax(own >= 0.9)) if (own >= 0.9).any() else int(np.argmax(own))
    now = slice(START, max(end, START + 1) + 1)
    columns = []
    spread = np.full(now.stop - now.start, ENCODERS.sigma)
    s_p = chain.feet[0].s_p[stance]
    shape = np.zeros(now.stop - now.start)
    for one in (chain.feet[foot], chain.feet[1 - foot]):
        ratio = np.ascontiguousarray(one.ratio[stance, now, 0])
        mu = one.mu[stance]
        paths = [np.empty_like(ratio) for _ in range(3)]
        for path, factor in zip(
            paths,
            (1.0, math.exp(CRAMER_RAO_STEP), math.exp(-CRAMER_RAO_STEP)),
            strict=True,
        ):
            straight_path(ratio, mu * factor, path)
        columns.append(s_p / 3.0 * (paths[1] - paths[2]) / (2.0 * CRAMER_RAO_STEP))
        shape += paths[0]
        spread = np.hypot(
            spread,
            noise(
                ratio, one.normal[stance, now], mu, s_p, ENCODERS._replace(sigma=0.0)
            ),
        )
    force = chain.feet[0].ratio[stance, now, 0] * chain.feet[0].normal[stance, now]
    columns += [
        s_p / 3.0 * shape,
        np.full_like(shape, s_p),
        CHAIN.compliance_spread * force,
    ]
    jacobian = np.column_stack(columns) / spread[:, None]
    belief = np.zeros((1, jacobian.shape[1]))
    belief[0, -1] = 1.0
    information = np.vstack([jacobian, belief])
    return float(np.sqrt(np.linalg.pinv(information.T @ information)[0, 0]))


# What each set of sensors lets a robot know of the floor, when, and how surely: one
# table.

SEED = 97000
# sd of ln mu of an interval that is just usable
POSSIBLE = math.log(IntervalConfig().usable_ratio) / (2.0 * 1.96)
ALLOWED = 0.05  # share of stances whose certificate may be wrong
# sd of ln s_p from step to step: other spot, other floor
STEPS = 6
STEP_SPREAD = 0.2
UNPROBED = (0.1, 0.45)  # of the limit, that walking asks of double support (choice)


class Known(NamedTuple):
    """One set of sensors on one floor; shares of stances."""

    sensors: str
    floor: str
    stances: int
    demanded: int  # stances that reach 0.9 of the limit
    in_time: (
        float  # usable before 0.9 of the limit, of those; else before the end, of all
    )
    possible: float  # of the same, that Cramer and Rao's bound allows
    certified: float  # median of mu_low/mu at 0.9 of the limit, else at the end
    lead: float  # median, from usable to 0.9 of the limit or the end [ms]
    wrong: float  # mu_low above mu at any time
    far: float  # by more than a tenth


def rows(count: int, seed: int = SEED) -> Iterator[Known]:
    """All sets, each as soon as it is measured."""
    for truth in ("dahl", "iwan"):
        contact = Contact(truth)
        for label, sensors in (
            ("soles seen to 5 um", P2),
            ("soles seen to 20 um", P3),
            ("IMU on the foot", I1),
        ):
            yield _seen_alone(label, truth, sensors, count, seed)
        yield _chain(
            "encoders, no probing", truth, Push(contact, UNPROBED), count, seed
        )
        for floors, push in (
            (truth, Push(contact)),
            (f"{truth}, two floors", Push(contact, other_floor=True)),
        ):
            yield _chain("encoders, probing", floors, push, count, seed)
            yield _chain(
                f"encoders, probing, step {STEPS}", floors, push, count, seed, STEPS
            )


def _seen_alone(
    label: str, truth: str, sensors: Sensors, count: int, seed: int
) -> Known:
    stances, seen = realise(Walk(Contact(truth)), sensors, count, seed)
    possible = np.full(count, NAN)
    if sensors.kind == "position":
        shares = np.where(judged_samples(stances), stances.share, 0.0)
        reached = [
            int(np.argmax(share >= 0.9)) or int(np.argmax(share)) for share in shares
        ]
        possible = np.array(
            [
                _bound(stances, k, end, sensors) <= POSSIBLE
                for k, end in enumerate(reached)
            ],
            dtype=float,
        )
    return _known(
        label, truth, stances, answers(seen, told(sensors, False, SHIPPED)), possible
    )


def _bound(stances: Stances, stance: int, end: int, sensors: Sensors) -> float:
    now = slice(START, max(end, START + 1) + 1)
    ratio = np.ascontiguousarray(stances.ratio[stance, now, 0])
    return cramer_rao_bound(
        ratio,
        stances.normal[stance, now],
        stances.mu[stance],
        stances.s_p[stance],
        sensors,
    )


def _chain(
    label: str, floor: str, push: Push, count: int, seed: int, steps: int = 1
) -> Known:
    """Select the foot nearer to its limit in the last of several double supports.

    This foot is probed.

    What the steps before taught of the sole, each foot keeps.
    """
    rng = np.random.default_rng(seed)
    one = IntervalEstimator(told(ENCODERS, False, CHAIN), body_weight=BODY_WEIGHT)
    feet = [[one.initial_state() for _ in range(count)] for _ in range(2)]
    own = draw(rng, count, push).feet[0].s_p
    for _ in range(steps):
        chain = draw(
            rng, count, push, own * np.exp(STEP_SPREAD * rng.standard_normal(count))
        )
        seen = observe(rng, chain)
        said = [
            follow_feet(states, one.settings, shown)
            for states, shown in zip(feet, seen, strict=True)
        ]
    weaker = np.argmax([np.max(foot.share, axis=1) for foot in chain.feet], axis=0)
    stances = Stances(
        *(_chosen(left, right, weaker) for left, right in zip(*chain.feet, strict=True))
    )
    spoken = Answers(
        *(_chosen(left, right, weaker) for left, right in zip(*said, strict=True))
    )
    possible = np.array(
        [bound(chain, k, int(foot)) <= POSSIBLE for k, foot in enumerate(weaker)]
    )
    known = _known(label, floor, stances, spoken, possible.astype(float))
    stronger = Stances(
        *(
            _chosen(left, right, 1 - weaker)
            for left, right in zip(*chain.feet, strict=True)
        )
    )
    other = Answers(
        *(_chosen(left, right, 1 - weaker) for left, right in zip(*said, strict=True))
    )
    over = np.nan_to_num(
        np.where(judged_samples(stronger), other.low / stronger.mu[:, None], 0.0)
    ).max(axis=1)
    return known._replace(wrong=max(known.wrong, float(np.mean(over > 1.0))))


def _chosen(one: AnyArray, other: AnyArray, which: AnyArray) -> AnyArray:
    """Rows of the first array where ``which`` is 0, of the second where it is 1."""
    return np.where(which.reshape(-1, *[1] * (one.ndim - 1)) == 0, one, other)


def _known(
    label: str, floor: str, stances: Stances, said: Answers, possible: AnyArray
) -> Known:
    inside = judged_samples(stances)
    rows = np.arange(stances.mu.size)
    over = np.nan_to_num(np.where(inside, said.low / stances.mu[:, None], 0.0))
    late = inside & (stances.share >= 0.9)
    demanded = late.any(axis=1)
    last = inside.shape[1] - 1 - np.argmax(inside[:, ::-1], axis=1)
    end = np.where(demanded, late.argmax(axis=1), last)
    usable = inside & (said.usable > 0.0) & (np.arange(inside.shape[1]) < end[:, None])
    counted = demanded if demanded.any() else np.ones_like(demanded)
    known = usable.any(axis=1)
    lead = (end - usable.argmax(axis=1))[known]
    return Known(
        sensors=label,
        floor=floor,
        stances=stances.mu.size,
        demanded=int(demanded.sum()),
        in_time=float(np.mean(known[counted])),
        possible=float(np.mean(possible[counted])),
        certified=float(np.median(over[rows, end][counted])),
        lead=float(np.median(lead)) if lead.size else NAN,
        wrong=float(np.mean(over.max(axis=1) > 1.0)),
        far=float(np.mean(over.max(axis=1) > 1.1)),
    )


def _share(name: str) -> Callable[[Any], str]:
    return lambda known: (
        "-" if math.isnan(getattr(known, name)) else f"{getattr(known, name):.2f}"
    )


COLUMNS = {
    "sensors": lambda known: known.sensors,
    "contact": lambda known: known.floor,
    "reach .9": lambda known: f"{known.demanded}/{known.stances}",
    "usable before": _share("in_time"),
    "possible": _share("possible"),
    "mu_low/mu then": _share("certified"),
    "lead [ms]": lambda known: "-" if math.isnan(known.lead) else f"{known.lead:.0f}",
    "mu_low > mu": lambda known: f"{known.wrong:.3f}",
    "> 1.1 mu": lambda known: f"{known.far:.3f}",
}


# What the joints between both feet could tell of a floor at best, from the true loads
# of a walk (Cramer-Rao).
#
# A foot meets another foot twice in a stance: the one that lifts after it has landed,
# and the one that lands before it lifts. Only then, and once both touchdowns have rung
# off, joints see the floor. Contacts are Dahl's in the plane.

STEP = 1e-4  # of ln mu, for the derivative
FULL = 0.995  # share of the limit beyond which a path is not followed
S_P = 1e-3  # [m]
SHORTEST = 8  # samples
# sd of ln mu, ln s_p and, in s_p, of where a meeting began, that stands for not knowing
NOTHING = 10.0


class Meeting(NamedTuple):
    """Both feet on the floor, the one that is asked about and the other, per sample."""

    ratio: (
        AnyArray  # true force ratio with the sign of the motion it drives (samples, 2)
    )
    normal: AnyArray  # (samples,) [N]
    other_ratio: AnyArray
    other_normal: AnyArray
    other_mu: float


class Seen(NamedTuple):
    """How well joints and ankle sensors see that."""

    sigma: float  # of the chain's length, a sample [m]
    force_sigma: float  # [N]
    leg_stiffness: float = 1e5  # [N/m]
    leg_known_to: float = 0.2


def path(ratio: AnyArray, mu: float, s_p: float = S_P) -> tuple[AnyArray, AnyArray]:
    """Compute the motion (samples, 2) [m] of a Dahl contact under a ratio (samples, 2).

    The second answer is how soft the contact is there.

    The length a of a step solves ``|d + a h| = a`` with d the elastic step and h the
    ratio over mu.
    """
    share = ratio / mu
    elastic = s_p / 3.0 * np.diff(share, axis=0)
    middle = 0.5 * (share[1:] + share[:-1])
    middle *= np.minimum(1.0, FULL / np.maximum(np.linalg.norm(middle, axis=1), 1e-9))[
        :, None
    ]
    along = np.sum(elastic * middle, axis=1)
    left = 1.0 - np.sum(middle**2, axis=1)
    length = (along + np.sqrt(along**2 + left * np.sum(elastic**2, axis=1))) / left
    moved = np.vstack(
        [np.zeros(2), np.cumsum(elastic + length[:, None] * middle, axis=0)]
    )
    return moved, np.concatenate([[1.0], 1.0 / left])


def walk_bound(meetings: Sequence[Meeting], mu: float, seen: Seen) -> float:
    """Cramer-Rao sd of ln mu; infinite where the feet never meet.

    Not known are mu, s_p, where each meeting began, and the legs' compliance but for
    its belief. That both feet stand on one floor is known where it is so, which nobody
    tells a robot. Of everything else next to nothing is believed, so that what no data
    show stays finite.
    """
    if not meetings:
        return math.inf
    # mu, s_p, compliance; of each meeting the other's mu and where it began
    unknowns = 3 + 3 * len(meetings)
    rows = [
        _rows(meeting, mu, seen, axis, 3 + 3 * k, unknowns)
        for k, meeting in enumerate(meetings)
        for axis in (0, 1)
    ]
    belief = np.full(unknowns, 1.0 / NOTHING)
    belief[2] = 1.0
    r = np.linalg.qr(np.vstack([*rows, np.diag(belief)]), mode="r")
    return float(np.linalg.norm(np.linalg.inv(r)[0]))


def _rows(
    meeting: Meeting, mu: float, seen: Seen, axis: int, place: int, unknowns: int
) -> AnyArray:
    own, soft = path(meeting.ratio, mu)
    other, other_soft = path(meeting.other_ratio, meeting.other_mu)
    noise = np.hypot(
        _force_noise(meeting.ratio, meeting.normal, mu, soft, seen),
        _force_noise(
            meeting.other_ratio,
            meeting.other_normal,
            meeting.other_mu,
            other_soft,
            seen,
        ),
    )
    pushed = 0.5 * (
        meeting.ratio * meeting.normal[:, None]
        - meeting.other_ratio * meeting.other_normal[:, None]
    )
    rows = np.zeros((own.shape[0], unknowns))
    rows[:, 0] = _by_mu(meeting.ratio, mu)[:, axis]
    rows[:, 1] = (own - other)[:, axis]
    rows[:, 2] = (
        seen.leg_known_to * math.sqrt(2.0) / seen.leg_stiffness * pushed[:, axis]
    )
    rows[:, 0 if meeting.other_mu == mu else place] -= _by_mu(
        meeting.other_ratio, meeting.other_mu
    )[:, axis]
    rows[:, place + 1 + axis] = S_P
    return rows / np.hypot(noise, seen.sigma)[:, None]


def _by_mu(ratio: AnyArray, mu: float) -> AnyArray:
    return (
        path(ratio, mu * math.exp(STEP))[0] - path(ratio, mu * math.exp(-STEP))[0]
    ) / (2.0 * STEP)


def _force_noise(
    ratio: AnyArray, normal: AnyArray, mu: float, soft: AnyArray, seen: Seen
) -> AnyArray:
    return (
        S_P
        / (3.0 * mu)
        * soft
        * seen.force_sigma
        / normal
        * np.sqrt(1.0 + np.sum(ratio**2, axis=1))
    )


def pushed(meeting: Meeting, mu: float, share: float) -> tuple[Meeting, float]:
    """Push the feet against each other along x, up to a share of the weaker limit.

    The push is half a sine.

    Returns:
        the meeting, and the largest force of the push [N].
    """
    wave = np.sin(np.linspace(0.0, math.pi, meeting.normal.size))
    best = meeting
    most = 0.0
    weight = float(np.max(meeting.normal + meeting.other_normal))
    for sign in (1.0, -1.0):
        for force in np.linspace(0.0, weight, 201):
            tried = _with(meeting, sign * force * wave)
            if (
                max(
                    _largest(tried.ratio) / mu,
                    _largest(tried.other_ratio) / tried.other_mu,
                )
                > share
            ):
                break
            if force > most:
                best = tried
                most = float(force)
    return best, most


def _with(meeting: Meeting, force: AnyArray) -> Meeting:
    own = meeting.ratio.copy()
    other = meeting.other_ratio.copy()
    own[:, 0] += force / meeting.normal
    other[:, 0] -= force / meeting.other_normal
    return meeting._replace(ratio=own, other_ratio=other)


def _largest(ratio: AnyArray) -> float:
    return float(np.linalg.norm(ratio, axis=1).max())


# What robots know of their floors in walks in which no sensor sees the soles: encoders,
# ankle sensors, IMUs.

Flags = NDArray[np.bool_]

# of mu
DEMAND = 0.9
PUSHED = 0.9
# [s] of a stance that are not judged: touchdown, lift-off
NOT_YET = 0.06
NO_MORE = 0.02
JOINT = 2.0 * math.pi / 2**18 / math.sqrt(12.0)  # [rad] of an encoder of 18 bits
LEG = 0.7  # [m] of the planar biped
# [m/s^2] of the planar biped (study 2: I1)
ACCELEROMETER = 1e-3 / math.sqrt(2e-3)
BIAS = 0.02
STANDING = 3.0  # [s] of a humanoid's walk, in which its sensors are checked
PATCH = 0.25  # mu of a humanoid's patch
LONG = 0.4  # [s] of double support, in which feet could push against each other
FIELDS = {name: k for k, name in enumerate(FrictionEstimate._fields)}


class Followed(NamedTuple):
    """The truth of a walk and what was said of it.

    The second axis holds the feet, left and right.
    """

    time: Array  # (ticks,) [s]
    ratio: Array  # (ticks, 2, 2) with the sign of the motion that it drives
    normal: Array  # (ticks, 2) [N]
    mu: Array  # (ticks, 2)
    said: Array  # (ticks, 2, fields)
    limit: Array  # (ticks, 2)
    moved: Array  # (ticks, 2, 2) place of each sole along the floor [m]
    weight: float  # [N]
    seen: Seen


class StanceFound(NamedTuple):
    """One stance."""

    mu: float
    demanded: bool  # the load reached 0.9 mu
    in_time: bool  # usable before that, or before the end
    over: float  # largest mu_low over mu before a slip was told
    held: float  # largest demonstrated friction over mu
    bound: float  # sd of ln mu, Cramer-Rao: joints alone
    pushed_bound: float  # the same if the feet pushed against each other
    force: float  # [N] that this would take
    limit: float  # largest limit over mu
    slid: float  # [m]


class WalkedKnown(NamedTuple):
    """One robot, source and floor; shares of stances."""

    robot: str
    source: str
    limit: str
    mu: str
    stances: int
    demanded: int
    in_time: float  # of the demanded ones
    usable: float  # of all
    possible: float  # joints alone, of all
    possible_pushed: float
    force: float  # median [N]
    wrong: float
    worst: float
    held: float  # median
    limit_wrong: float
    slid: float  # largest [m]


def planar_with_encoders(name: str) -> ScenarioConfig:
    """Load a shipped scenario with encoders of 18 bits and compliant legs.

    It has no sensor of the soles.
    """
    mapping = chosen_scenario(name).to_mapping()
    mapping["sensors"].update(
        joint_position_noise=JOINT,
        joint_velocity_noise=5e-3,
        leg_stiffness=LEG_STIFFNESS,
        accelerometer_noise=ACCELEROMETER,
        accelerometer_bias=BIAS,
    )
    mapping["motion"].update(
        source="both_feet", encoder_noise=LEG * JOINT, leg_stiffness=LEG_STIFFNESS
    )
    mapping["interval"]["sole"]["compliance_spread"] = 0.0
    return ScenarioConfig.from_mapping(mapping)


def planar_walk(scenario: ScenarioConfig, limit: str, seed: int) -> Followed:
    """Walk once."""
    scenario = perturbed(scenario, np.random.default_rng(seed))
    walk = PlanarWalk(scenario, planar_policy(limit, scenario), seed)
    log = walk.run()
    ratio = np.zeros((*log.normal.shape, 2))
    ratio[..., 0] = -log.tangential / np.maximum(log.normal, 1.0)
    moved = np.stack([log.foot_x, np.zeros_like(log.foot_x)], axis=-1)
    seen = Seen(math.sqrt(2.0) * LEG * JOINT, scenario.sensors.force_noise)
    return Followed(
        time=log.time,
        ratio=ratio,
        normal=log.normal,
        mu=log.mu_true,
        said=log.estimates,
        limit=log.limit,
        moved=moved,
        weight=walk.robot.mass * GRAVITY,
        seen=seen,
    )


def humanoid_walk(config: HumanoidWalkConfig, limit: str, seed: int) -> Followed:
    """Walk once."""
    walk = HumanoidWalk(config, limit, seed, checked=True)
    walk.check_sensors()
    rows: list[tuple[int, HumanoidOutput]] = []
    while not walk.ended:
        output = walk.tick()
        if isinstance(output, HumanoidOutput):
            rows.append(
                (walk.world.log.length - 1, output._replace(torques=np.zeros(0)))
            )
    log = walk.world.log.trim()
    said = np.full((log.length, 2, len(FIELDS)), np.nan)
    limits = np.full((log.length, 2), np.nan)
    for row, output in rows:
        said[row] = np.array(output.estimates, dtype=float)
        limits[row] = np.nan if output.answer is None else output.answer.limits
    sensors = config.sensors
    seen = Seen(
        math.sqrt(2.0) * LEG_LEVER * sensors.encoders.position_noise,
        sensors.force_torque.force_noise * walk.humanoid.weight,
    )
    ratio = -log.wrench[:, :, :2] / np.maximum(log.wrench[:, :, 2:3], 1.0)
    return Followed(
        time=log.time,
        ratio=ratio,
        normal=log.normal,
        mu=log.mu,
        said=said,
        limit=limits,
        moved=log.sole_position[..., :2],
        weight=walk.humanoid.weight,
        seen=seen,
    )


def judged(walk: Followed, start: float) -> Iterator[StanceFound]:
    """Every stance that begins after ``start`` [s]."""
    period = float(walk.time[1] - walk.time[0])
    together = np.minimum(*_ages(walk, period)) > MotionConfig().settling_time
    skip = round(NOT_YET / period)
    drop = round(NO_MORE / period)
    for foot in (0, 1):
        for stance in stances(walk.time, walk.normal[:, foot]):
            part = slice(stance.start + skip, stance.stop - drop)
            loaded = walk.normal[part, foot] > LEAVE_LOAD_SHARE * walk.weight
            if walk.time[stance.start] < start or not loaded.any():
                continue
            yield _judged(
                walk, foot, part, loaded, _meetings(walk, foot, stance, together)
            )


def _judged(
    walk: Followed, foot: int, part: slice, loaded: Flags, meetings: list[Meeting]
) -> StanceFound:
    mu = float(walk.mu[part, foot].min())
    said = walk.said[part, foot]
    share = np.where(loaded, np.linalg.norm(walk.ratio[part, foot], axis=1) / mu, 0.0)
    tick = np.arange(share.size)
    reached = _first(share >= DEMAND)
    told = tick < _first(loaded & (said[:, FIELDS["slipping"]] > 0.0))
    usable = _first(loaded & (said[:, FIELDS["usable"]] > 0.0))
    low = np.where(loaded & told, np.nan_to_num(said[:, FIELDS["mu_low"]]), 0.0)
    probed = [pushed(one, mu, PUSHED) for one in meetings]
    limit = np.where(
        loaded & np.isfinite(walk.limit[part, foot]), walk.limit[part, foot], 0.0
    )
    return StanceFound(
        mu=mu,
        demanded=reached < share.size,
        in_time=usable < min(reached, share.size),
        over=float(low.max() / mu),
        held=float(
            np.nan_to_num(said[:, FIELDS["mu_demonstrated"]])[loaded].max() / mu
        ),
        bound=walk_bound(meetings, mu, walk.seen),
        pushed_bound=walk_bound([one for one, _ in probed], mu, walk.seen),
        force=max((force for _, force in probed), default=0.0),
        limit=float(limit.max() / mu),
        slid=float(np.linalg.norm(np.ptp(walk.moved[part, foot][loaded], axis=0))),
    )


def _first(condition: Flags) -> int:
    return int(np.argmax(condition)) if condition.any() else condition.size


def _ages(walk: Followed, period: float) -> tuple[Array, Array]:
    loads = StanceLoads(CONTACT_SHARE * walk.weight, LEAVE_LOAD_SHARE * walk.weight)
    ages = np.empty(walk.normal.shape)
    for foot in (0, 1):
        age = -1.0
        for tick, normal in enumerate(walk.normal[:, foot]):
            age = ages[tick, foot] = stance_age(age, normal, period, loads)
    return ages[:, 0], ages[:, 1]


def _meetings(
    walk: Followed, foot: int, stance: slice, together: Flags
) -> list[Meeting]:
    edges = (
        np.flatnonzero(
            np.diff(np.concatenate(([0], together[stance].astype(int), [0])))
        )
        + stance.start
    )
    return [
        Meeting(
            ratio=walk.ratio[a:b, foot],
            normal=walk.normal[a:b, foot],
            other_ratio=walk.ratio[a:b, 1 - foot],
            other_normal=walk.normal[a:b, 1 - foot],
            other_mu=float(walk.mu[a, 1 - foot]),
        )
        for a, b in edges.reshape(-1, 2)
        if b - a >= SHORTEST
    ]


def plan(robots: Sequence[str]) -> Iterator[tuple[str, str, str, float]]:
    """Yield robot, source, limit and double support [s] of each kind of walk.

    A double support of 0 is the walk's own.
    """
    for robot in robots:
        if robot == "planar":
            yield from (
                ("planar", "both_feet", limit, 0.0) for limit in ("none", "interval")
            )
        else:
            yield from (
                (robot, source, "interval", 0.0) for source in ("both_feet", "foot_imu")
            )
            yield robot, "both_feet", "interval", LONG


def walked_rows(
    robot: str, source: str, limit: str, double_support: float, seeds: range
) -> list[WalkedKnown]:
    """One robot's walks, a row for each kind of floor.

    Args:
        robot: planar (``thesis_sensors``, whose patch the seed draws), or a humanoid.
        source: of the soles' motion.
        limit: slip prevention.
        double_support: of a humanoid's steps [s]; 0: as its walk has it.
        seeds: one walk each.
    """
    found: list[StanceFound] = []
    for seed in seeds:
        if robot == "planar":
            found += judged(
                planar_walk(planar_with_encoders("thesis_sensors"), limit, seed), 0.0
            )
        else:
            found += judged(
                humanoid_walk(
                    _humanoid(robot, source, limit, double_support), limit, seed
                ),
                STANDING,
            )
    floors = (
        ("first floor", True),
        ("patch" if robot == "planar" else f"patch of {PATCH:g}", False),
    )
    first = 1.0 if robot == "planar" else 0.8
    parts = [[one for one in found if (one.mu == first) == on] for _, on in floors]
    label = f"{source}, {double_support:g} s" if double_support > 0.0 else source
    return [
        _walked_known((robot, label, limit, name), part)
        for (name, _), part in zip(floors, parts, strict=True)
        if part
    ]


def _humanoid(
    robot: str, source: str, limit: str, double_support: float
) -> HumanoidWalkConfig:
    config = HumanoidJob(
        config_of(
            Rung(robot=robot, mu=PATCH, kind=limit, push=0.0, short=True, motion=source)
        ),
        limit,
        0,
    ).config
    if double_support == 0.0:
        return config
    mapping = config.to_mapping()
    mapping["controller"]["steps"]["double_support"] = double_support
    return HumanoidWalkConfig.from_mapping(mapping)


def _walked_known(
    names: tuple[str, str, str, str], found: list[StanceFound]
) -> WalkedKnown:
    robot, source, limit, mu = names
    demanded = [one for one in found if one.demanded]
    in_time = (
        float(np.mean([one.in_time for one in demanded])) if demanded else math.nan
    )
    return WalkedKnown(
        robot=robot,
        source=source,
        limit=limit,
        mu=mu,
        stances=len(found),
        demanded=len(demanded),
        in_time=in_time,
        usable=float(np.mean([one.in_time for one in found])),
        possible=float(np.mean([one.bound <= POSSIBLE for one in found])),
        possible_pushed=float(np.mean([one.pushed_bound <= POSSIBLE for one in found])),
        force=float(np.median([one.force for one in found])),
        wrong=float(np.mean([one.over > 1.0 for one in found])),
        worst=max(one.over for one in found),
        held=float(np.median([one.held for one in found])),
        limit_wrong=float(np.mean([one.limit > 1.0 for one in found])),
        slid=max(one.slid for one in found),
    )


WALKED_COLUMNS = {
    "robot": lambda known: known.robot,
    "motion": lambda known: known.source,
    "limit": lambda known: known.limit,
    "mu": lambda known: known.mu,
    "reach .9": lambda known: f"{known.demanded}/{known.stances}",
    "usable before": _share("in_time"),
    "usable": _share("usable"),
    "possible": _share("possible"),
    "if probed": _share("possible_pushed"),
    "force [N]": lambda known: f"{known.force:.0f}",
    "mu_low > mu": lambda known: f"{known.wrong:.3f}",
    "worst": lambda known: f"{known.worst:.2f}",
    "held/mu": lambda known: f"{known.held:.2f}",
    "limit > mu": lambda known: f"{known.limit_wrong:.2f}",
    "slid [mm]": lambda known: f"{1e3 * known.slid:.1f}",
}
