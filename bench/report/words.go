package report

// korean has the report's own words, by the English ones.
var korean = map[string]string{
	"yes": "예", "no": "아니요",
	"as expected": "예상대로", "NOT as expected": "예상과 다름", "interrupted": "중단됨",
	"Report of the laboratory": "실험실 보고서",
	"Question":                 "질문", "Answer": "답", "Varies": "바꾸는 것", "Measured": "재는 것", "Expected": "예상과 이유",
	"In short": "한눈에", "experiment": "실험", "answer": "답", "verdict": "판정",
	"Table of": "표:", "series": "계열", "Made with": "실행 환경", "commit": "커밋", "processor": "프로세서", "cores": "코어",
	"stores": "저장소", "seed": "시드", "rounds": "반복", "budget": "시간 예산", "flags": "설정", "raw lines": "원시 기록", "time": "시각",
	"The run was interrupted; what had finished is shown.": "실행이 중단되었다. 그때까지 끝난 것만 보인다.",
	"Over the cap, in bold and red.":                       "정원을 넘은 값은 굵고 붉게 표시한다.",
	"strategy":                                             "전략", "workers": "워커", "how": "대기 방식", "arrivals": "도착률",
	"the cap": "정원",
	"of several rounds: means, the worst where there is a cap": "여러 번 반복한 값은 평균이며, 정원이 있는 값은 최악의 경우다",
}

// word returns the report's own word in a language.
func word(lang, english string) string {
	if w, ok := korean[english]; ok && lang == "ko" {
		return w
	}
	return english
}
