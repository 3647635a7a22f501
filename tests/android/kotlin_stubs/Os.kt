package android.os

interface Parcelable

class PatternMatcher {
    companion object {
        const val PATTERN_LITERAL = 0
        const val PATTERN_PREFIX = 1
        const val PATTERN_SIMPLE_GLOB = 2
        const val PATTERN_ADVANCED_GLOB = 3
        const val PATTERN_SUFFIX = 4
    }
}
