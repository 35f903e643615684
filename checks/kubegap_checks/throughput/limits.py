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
# A restart is away for minutes too; a stall has been so for longer: our own choice.
STALL_MIN_S = 600
STALL_MIN_STEPS = 3
# Missing samples may be the monitoring's fault, and what often stops and comes back may do so again: then the end must
# be this many times as long as the longest time before it.
STALL_AGAIN_TIMES = 1.5

# A fall or a hole that passed is no change of level, and too long to be taken for a restart: those of
# 2026-lablup-b200-nfs-rpc-slots took 33 minutes on average to load a checkpoint. Our own choice, as is the level: what
# lasts so long below it is no noise, and no day's swing.
PASSING_LEVEL = 0.8
PASSING_SHORTEST_S = 45 * 60
# Scrapes fail for a while too, and a short while is little of a long window; but hours are much of any.
PASSING_SHARE = 0.05
PASSING_LONGEST_S = 3 * 3600
PASSING_SAMPLES_MIN = 5

# A job counts as slow from 1.1 times the time it should take
# (incident 2024-bytedance-straggler-study), which is this share of the throughput.
LOW_SHARE = 1 / 1.1

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
# Twice may be chance: our own choice.
DIPS_MIN = 3
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
# And it stands this far above what is left unexplained: F of the best split, where the best of many reaches 10 by
# chance.
CHANGE_F = 20.0
CHANGE_SIGMAS = 2.0
# The day's swing is fitted beside it where the window shows most of a day.
DAY_S = 24 * 3600
DAY_SEEN_S = 16 * 3600
# Amplitudes of the day's swing as shares of the level. Heat moved Llama 3 by 1 to 2 % in all; a shared cluster more, we
# allow for twice that where a window is too short to see the day turn, and no more than the second where it does.
DAY_SWING_USUAL = 0.03
DAY_SWING_MOST = 0.08

# Noise that grows is at least this many times as wide at the end, and more where few samples tell it. Our own choice:
# the spread of steady noise, taken block by block, seems to grow by up to 1.7 times within a hundred samples.
NOISE_GROWTH = 1.9
NOISE_GROWTH_FEW = 6.0
# And it grows all along: the concordance (Kendall's tau) of spread and time.
NOISE_TREND = 0.4
