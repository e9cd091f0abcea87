package heap

import "slices"

// classes are the sizes of small objects that the allocator has (Go 1.26,
// internal/runtime/gc/sizeclasses.go). A larger one takes whole pages.
var classes = []int{8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352, 384, 416, 448, 480,
	512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536, 1792, 2048, 2304, 2688, 3072, 3200, 3456, 4096, 4864, 5376, 6144, 6528,
	6784, 6912, 8192, 9472, 9728, 10240, 10880, 12288, 13568, 14336, 16384, 18432, 19072, 20480, 21760, 24576, 27264, 28672, 32768}

const page = 8 << 10

// Size returns how many bytes an object of n bytes takes.
func Size(n int) int {
	if n == 0 {
		return 0
	}
	if i, _ := slices.BinarySearch(classes, n); i < len(classes) {
		return classes[i]
	}
	return (n + page - 1) / page * page
}
