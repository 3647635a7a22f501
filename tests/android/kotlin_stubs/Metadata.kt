package androidx.appfunctions.metadata

class AppFunctionMetadata {
    companion object {
        const val SCOPE_GLOBAL = 0
        const val SCOPE_ACTIVITY = 1
        const val ACCESS_LEVEL_SELF = 100
        const val ACCESS_LEVEL_SYSTEM = 200
        const val ACCESS_LEVEL_ANDROID_TRUSTED = 300
    }
}
