"""Every number that the shape of a series is judged by, with its reason. Shares are of the usual level."""

# Too few samples to tell a shape from noise: our own choice; two hours at five minutes are 24.
SAMPLES_MIN = 12
# With fewer than these a shape is likely at most, and a hint at most where this share of samples is missing, since what
# is missing may be what happened: our own choice.
SAMPLES_SURE = 60
COVERAGE_MIN = 0.5

# Nothing is done any more: our own choice, above what idle GPUs draw of their power under load
# (an idle H100 takes about 70 W of 700 W; with its clocks up about 120 W).
STALLED_SHARE = 0.25
# Of what measures the work itself nothing remains then, but for what a mean over the step still holds: our own choice.
STALLED_SHARE_OF_WORK = 0.05
# A restart is away for minutes too; a stall has been so for longer: our own choice.
STALL_MIN_S = 600
STALL_MIN_STEPS = 3
# Missing samples may be the monitoring's fault, and what often stops and comes back may do so again: then the end must
# be this many times as long as the longest time before it.
STALL_AGAIN_TIMES = 1.5

# A gauge that nobody updates keeps its last value. It is told where no more than this share of neighbours were equal
# before, as they are in what a trainer rounds: our own choice.
FROZEN_BEFORE_MOST = 0.1

# Work that is summed up rises from one sample to the next, but where it stands still or starts anew; noise falls as
# often. It is told where this share of neighbours rises at least, and no more than the second falls: our own choice.
SUMMED_RISES = 0.5
SUMMED_FALLS_MOST = 0.02

# A time without samples is told where it is this long: scrapes fail for a while too, and a short while is little of a
# long window; but hours are much of any. Our own choice.
HOLE_SHORTEST_S = 45 * 60
HOLE_SHARE = 0.05
HOLE_LONGEST_S = 3 * 3600

# A time below the rest matters from here on, or from this share of the window where that is less: too long to be taken
# for a restart (those of 2026-lablup-b200-nfs-rpc-slots took 33 minutes on average to load a checkpoint), and as long
# as a spell of slow hardware (2024-bytedance-minder-faulty-machine: 40 minutes; 2025-hkust-greyhound-fail-slow: 72 on
# average). It is so deep, and so many standard deviations of what the smoothed level does by itself: our own choice.
LOW_SHORTEST_S = 3600
LOW_SHARE = 0.25
LOW_SAMPLES_MIN = 5
# A step down has lasted when it is as old as that, or this share of the window: our own choice.
LASTING_SHARE = 0.12
LOW_DEPTH_MIN = 0.06
LOW_SIGMAS = 5.0
# Samples are smoothed over this time; what is held for less than the second is a spike and no level. Our own choice.
LEVEL_SMOOTH_S = 600
LEVEL_SHORTEST_S = 600
LEVEL_SAMPLES_MIN = 3
# Times that passed are real where they leave at most this share of what a lasting change, or the day's swing, leaves
# unexplained; certain where they are this many times as deep as they need to be. Our own choice.
LOW_EXPLAINS = 0.8
LOW_SURE_TIMES = 2.0
# Short ones matter together where they are several and take this share of the window: our own choice.
LOW_SHARE_TOGETHER = 0.1

# What is called steady keeps its middle four fifths within this share of the level: our own choice, above the noise of
# any trainer that we know of (a standard deviation of 4 % gives 0.1).
STEADY_WITHIN = 0.25
# A job counts as slow from 1.1 times the time it should take
# (incident 2024-bytedance-straggler-study), which is this share of the throughput.
SLOW_SHARE = 1 / 1.1

# So many times off, what is measured and what is expected are hardly in one unit (a ratio and a percentage are 100
# times apart); the slowest that we know of was ten times slower (2023-huggingface-idefics80b-data-path-limits).
UNITS_APART = 20.0

# A dip is below noise (in its standard deviations) and deep enough to be looked at: our own choice.
DIP_SIGMAS = 4.5
DIP_DEPTH_MIN = 0.08
# It ends where half of the depth is made up for.
DIP_END_SHARE = 0.5
# A dip is a state that passes: what lasts longer than this share of the window is a change of level.
DIP_LONGEST_SHARE = 0.25
# Collapses are plunges, not ripples: our own choice. SmolLM3's were "steep"; the figure that others give is 40 %.
COLLAPSE_DEPTH_MIN = 0.2
COLLAPSE_DEPTH_SIGMAS = 7.0
# Their usual depth tells them from the wild values of noise that has grown: our own choice.
COLLAPSE_SIGMAS = 10.0
# What happened to the level goes before what comes again where it cost this many times as much: our own choice.
LARGER_TIMES = 3.0
# Twice may be chance: our own choice. A period is certain from so many on.
DIPS_MIN = 3
PERIOD_SURE_MIN = 5
# A dip in which this much is gone is an outage, as a restart makes one; it takes more of them to be a habit.
OUTAGE_DEPTH = 0.93
OUTAGES_MIN = 5
# Noise strikes upward as hard as downward: a dip (the sum of its depth over its samples) is this many times the
# greatest spike, or it may be noise.
DIP_TO_SPIKE = 1.3

# A dip comes one period after another, give or take this share of it (and the step of the series). Our own choice: a
# checkpoint is due after so many steps, and steps are of slightly unequal length.
REGULAR_WITHIN = (0.03, 0.06, 0.12)
# So many of the expected dips are there (a restart or missing samples swallow some) ...
REGULAR_SEEN_MIN = 0.65
# ... so many of the dips belong to the rhythm ...
REGULAR_OWN_MIN = 0.6
# ... and dips at random moments would look so regular no more often than this; less often where their depths differ,
# since what comes by a clock does the same thing each time, or where dips do not stand out of the noise.
REGULAR_BY_CHANCE = 0.1
REGULAR_BY_CHANCE_UNLIKE = 0.001
# Depths and lengths are alike where their middle half lies within this share of the median.
ALIKE_WITHIN = 0.3
# So many periods in a row may pass without a dip.
MISSED_MOST = 3

# A change of level is at least this large: BLOOM's slow GPU cost 6 % (149 to 140 TFLOPs), and a day's heat moved
# Llama 3 by 1 to 2 % (incident 2024-meta-llama3-405b-interruptions).
CHANGE_MIN = 0.04
# A slope is doubted where two steps leave so little of what it leaves unexplained: our own choice. Of a straight slope
# two steps leave a ninth of its spread, which is far more than the slope does.
STEPS_LEAVE = 0.5
# And it stands this far above what is left unexplained: F of the best split, where the best of many reaches 10 by
# chance.
CHANGE_F = 20.0
CHANGE_SURE_TIMES = 2.0
CHANGE_SIGMAS = 2.0
# The day's swing is fitted beside it where the window shows most of a day.
DAY_S = 24 * 3600
DAY_SEEN_S = 16 * 3600
# Amplitudes of the day's swing as shares of the level. Heat moved Llama 3 by 1 to 2 % in all; a shared cluster more, we
# allow for twice that where a window is too short to see the day turn, and no more than the second where it does.
DAY_SWING_USUAL = 0.03
DAY_SWING_MOST = 0.08
# A wider one is no ordinary swing, but no change either where the change leaves so many times as much unexplained; and
# it is told where it leaves no more than this share. Our own choice.
CHANGE_OVER_SWING = 2.0
SWING_LEAVES = 0.4

# Noise that grows is at least this many times as wide at the end, and more where few samples tell it. Our own choice:
# the spread of steady noise, taken block by block, seems to grow by up to 1.7 times within a hundred samples.
NOISE_GROWTH = 1.9
NOISE_GROWTH_FEW = 6.0
# And it grows all along: the concordance (Kendall's tau) of spread and time.
NOISE_TREND = 0.4
