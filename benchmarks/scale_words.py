"""The words of docs/benchmarks.md in both languages."""

from typing import Final

from kubegap_checks.text import Text

TITLE: Final = Text(en="Benchmarks", ko="성능")
INTRODUCTION: Final = Text(
    en="`make bench` measures this and `python -m benchmarks.scale --write` writes this page. The clusters are the "
    "tests' healthy one again and again, with sick parts in it: nodes of 20 kB, twelve pods of 7.5 kB on each, "
    "managedFields, the labels and kernel options that Node Feature Discovery writes, image lists, claims, events. "
    "The API server is a process of its own on loopback that has all bytes ready and sends each list at 80 MB/s, as a "
    "kube-apiserver 1.36 was seen to. ✓ and ✗ say whether a figure that kubegap is held to is met.",
    ko="`make bench`로 측정하고 `python -m benchmarks.scale --write`로 이 페이지를 쓴다. 클러스터는 테스트에 쓰는 "
    "정상 클러스터를 여러 벌 복제하고 일부에 고장을 넣은 것이다. 노드는 20 kB, 노드마다 7.5 kB짜리 파드 12개, "
    "managedFields, Node Feature Discovery가 쓰는 레이블과 커널 옵션, 이미지 목록, 클레임, 이벤트를 담는다. API 서버는 "
    "별도 프로세스로 루프백에서 돌며, 모든 바이트를 미리 준비해 두고 목록마다 80 MB/s로 보낸다. 실제 kube-apiserver "
    "1.36에서 관찰한 속도다. ✓와 ✗는 kubegap이 지켜야 할 수치를 만족하는지를 나타낸다.",
)


def machine(processor: str, count: int, python: str, load: float, runs: int, *, first: bool) -> Text:
    """`first`: at a higher priority than that other work."""
    before = Text(en=", which ran behind it", ko="(우선순위가 낮음)") if first else Text(en="", ko="")
    return Text(
        en=f"Machine: {processor}, {count} processors that client, server and API server share; Python {python}; load "
        f"{load:.1f} from other work before the first run{before.en}. Medians of {runs} runs.",
        ko=f"측정 환경: {processor}, 프로세서 {count}개(클라이언트, 서버, API 서버가 함께 사용), Python {python}, 측정 "
        f"전 다른 작업의 부하 {load:.1f}{before.ko}. {runs}회 측정의 중앙값.",
    )


def same(text: str) -> Text:
    return Text.same(text)


NODES: Final = Text(en="GPU nodes", ko="GPU 노드")
TIMES: Final = Text(en="Time, processor and memory", ko="시간, 프로세서, 메모리")
LISTS: Final = Text(en="all lists of an audit", ko="감사 한 번에 읽는 목록 전체")
FLOOR: Final = Text(en="floor: the same lists, bytes thrown away", ko="하한: 같은 목록을 받아 바로 버림")
COLD: Final = Text(
    en="`audit_cluster`, read anew (at most 1.5× the floor)", ko="`audit_cluster`, 새로 읽음 (하한의 1.5배 이하)"
)
FIRST: Final = Text(en="the very first one of a process", ko="프로세스가 뜬 뒤 첫 번째 감사")
CACHED: Final = Text(
    en="`audit_cluster` again, from cache (under 150 ms)", ko="`audit_cluster` 다시, 캐시에서 (150 ms 미만)"
)
EIGHT: Final = Text(en="eight at once, read anew (at most 1.5× one)", ko="8개 동시, 새로 읽음 (1개의 1.5배 이하)")
EIGHT_CACHED: Final = Text(en="eight at once, from cache", ko="8개 동시, 캐시에서")
CPU: Final = Text(
    en="processor time of an audit read anew (at most 3× bare decoding)",
    ko="새로 읽는 감사의 프로세서 시간 (단순 디코딩의 3배 이하)",
)
PEAK: Final = Text(en="peak memory (under 400 MB)", ko="최대 메모리 (400 MB 미만)")
ABOUT_TIMES: Final = Text(
    en="*Read anew* is `refresh=true` in a process that has answered before; the very first audit of a process also "
    "loads the catalogue, the incident library and the Kubernetes client. The floor is read by kubegap's own HTTP "
    "client, four lists at once. Eight at once are eight `audit_cluster` calls in one go over one connection.",
    ko="*새로 읽음*은 이미 답한 적이 있는 프로세스에 `refresh=true`로 물은 것이다. 프로세스의 첫 감사는 점검 카탈로그, "
    "사례 라이브러리, Kubernetes 클라이언트를 불러오는 시간이 더해진다. 하한은 kubegap의 HTTP 클라이언트로 목록 4개씩 "
    "동시에 읽은 시간이다. 8개 동시는 한 연결로 `audit_cluster`를 한꺼번에 8번 부른 것이다.",
)
PARTS: Final = Text(en="Where the processor time goes", ko="프로세서 시간의 내역")
HTTP: Final = Text(en="HTTP: what the floor takes", ko="HTTP: 하한에 드는 시간")
READING: Final = Text(en="decoding what is kept, and making records of it", ko="남길 객체를 디코딩하고 레코드로 만들기")
DECODE: Final = Text(
    en="bare decoding: every object by msgspec into structs of the same fields",
    ko="단순 디코딩: 모든 객체를 msgspec으로 같은 필드의 구조체에",
)
RULES: Final = Text(en="all checks, the first time", ko="모든 점검, 첫 실행")
ABOUT_PARTS: Final = Text(
    en="The first three are measured one after the other in one thread; in an audit they go on at the same time, and "
    "the fourth line also holds threads waiting for one another and the answer. The last is what the fourth is held "
    "against. Pods that ask for no device are passed over at a glance, which is why reading takes little more than "
    "bare decoding. Where a bound on time is missed: Python runs one thread at a time, so between two pages of the "
    "longest list (pods) the thread that asks for them waits for those that decode and judge, the more so while other "
    "work has the processors; and checks that look at pods begin once all pods are there. At 100 nodes the lists take "
    "no longer than the checks and the answer.",
    ko="위의 세 줄은 한 스레드에서 차례로 측정한 값이다. 감사에서는 동시에 진행되며, 넷째 줄에는 스레드가 서로 "
    "기다리는 시간과 답을 만드는 시간도 들어 있다. 마지막 줄은 넷째 줄을 견주는 기준이다. 디바이스를 요청하지 않는 "
    "파드는 훑어보고 지나가므로 읽기가 단순 디코딩과 큰 차이가 없다. 시간 한도를 넘는 이유: Python은 한 번에 스레드 "
    "하나만 실행하므로, 가장 긴 목록(파드)의 페이지 사이마다 요청하는 스레드가 디코딩하고 판정하는 스레드를 "
    "기다린다. 다른 작업이 프로세서를 쓰는 동안에는 더 그렇다. 파드를 보는 점검은 파드를 모두 받은 뒤에야 시작한다. "
    "100노드에서는 목록을 받는 시간이 점검하고 답하는 시간보다 길지 않다.",
)
SIZES: Final = Text(en="Size of the answers", ko="답의 크기")
AUDIT_SIZE: Final = Text(
    en="`audit_cluster`, bytes in English (under 12,000) / Korean",
    ko="`audit_cluster`, 영어(12,000 미만) / 한국어 바이트",
)
TOPIC_SIZE: Final = Text(en="the largest topic (under 14,000)", ko="가장 큰 주제 (14,000 미만)")
NODES_SIZE: Final = Text(en="`list_gpu_nodes` (under 10,000)", ko="`list_gpu_nodes` (10,000 미만)")
EACH: Final = Text(
    en="Each answer about {nodes} nodes, the larger of its two channels, from cache:",
    ko="{nodes}노드에 대한 답별 크기(두 채널 중 큰 쪽)와 캐시에서 답하는 시간:",
)
TOOL: Final = Text(en="tool", ko="도구")
OTHER: Final = Text(en="Beside it: kubernetes-mcp-server", ko="비교: kubernetes-mcp-server")
ABOUT_OTHER: Final = Text(
    en="Seconds and bytes of kubernetes-mcp-server 0.0.67 (npm), a general server that hands lists on and judges "
    "nothing, asked its nearest questions on the same API server, which gives it the tables it asks for.",
    ko="목록을 그대로 전하고 판단은 하지 않는 범용 서버 kubernetes-mcp-server 0.0.67(npm)에 가장 가까운 질문을 같은 "
    "API 서버에서 물었을 때의 시간(초)과 바이트. API 서버는 이 서버가 요청하는 표를 돌려준다.",
)
SHORT: Final = (FLOOR, COLD, CACHED, PEAK)
