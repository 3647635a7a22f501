package android.app

import android.content.Context

abstract class Service : Context() {
    open fun onCreate() = Unit
    open fun onDestroy() = Unit
    fun stopSelf() = Unit
    fun stopSelf(startId: Int) = Unit
}
