// What generated Kotlin needs of Android's framework to be compiled: names and types, no behaviour.
package android.content

abstract class Context {
    open fun getPackageName(): String = ""
    open fun getCacheDir(): String = ""
    open fun deleteFile(name: String): Boolean = false
    open fun getSystemService(name: String): Any? = null
    fun getString(resId: Int): String = "$resId"
    open fun setTheme(resId: Int) = Unit
    open fun getSharedPreferences(name: String, mode: Int): Any? = null
}
