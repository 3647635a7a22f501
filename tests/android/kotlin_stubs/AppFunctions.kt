// The annotations and classes of androidx.appfunctions, with the targets that Android allows.
package androidx.appfunctions

import android.app.Service
import android.net.Uri

@RequiresOptIn(message = "This may change.")
@Retention(AnnotationRetention.BINARY)
annotation class ExperimentalAppFunctionsApi

@Target(AnnotationTarget.FUNCTION)
annotation class AppFunctionDeclaration(
    val isEnabled: Boolean = true,
    val isDescribedByKDoc: Boolean = false,
)

@Retention(AnnotationRetention.SOURCE)
@Target(AnnotationTarget.CLASS)
annotation class AppFunctionServiceEntryPoint(
    val serviceName: String,
    val appFunctionXmlFileName: String,
)

@ExperimentalAppFunctionsApi
@Retention(AnnotationRetention.SOURCE)
@Target(AnnotationTarget.CLASS)
annotation class AppFunctionSignature(
    val scope: Int,
    val appFunctionXmlFileName: String,
    val isDescribedByKDoc: Boolean = false,
)

@Target(
    AnnotationTarget.FUNCTION,
    AnnotationTarget.PROPERTY,
    AnnotationTarget.VALUE_PARAMETER,
    AnnotationTarget.TYPE,
    AnnotationTarget.CLASS,
)
annotation class AppFunctionInstruction(val instruction: String)

@Target(AnnotationTarget.CLASS)
annotation class AppFunctionSerializable(val isDescribedByKDoc: Boolean = false)

@Target(AnnotationTarget.CLASS)
annotation class AppFunctionSchemaCapability

@Target(AnnotationTarget.CLASS)
annotation class AppFunctionSchemaDefinition(
    val name: String,
    val version: Int,
    val category: String,
)

@ExperimentalAppFunctionsApi
@Target(AnnotationTarget.FUNCTION, AnnotationTarget.CLASS)
annotation class AppFunctionAccessLevel(
    val level: Int,
    val isCompatEnforcementEnabled: Boolean,
)

@Target(AnnotationTarget.FUNCTION, AnnotationTarget.PROPERTY, AnnotationTarget.VALUE_PARAMETER)
annotation class AppFunctionIntValueConstraint(val enumValues: IntArray = [])

@Target(AnnotationTarget.FUNCTION, AnnotationTarget.PROPERTY, AnnotationTarget.VALUE_PARAMETER)
annotation class AppFunctionStringValueConstraint(
    val enumValues: Array<String> = [],
    val patternMatchers: Array<AppFunctionPatternMatcher> = [],
    val format: String = "",
)

@Target()
annotation class AppFunctionPatternMatcher(val pattern: String, val type: Int)

@Target(AnnotationTarget.FUNCTION, AnnotationTarget.PROPERTY, AnnotationTarget.VALUE_PARAMETER)
annotation class AppFunctionUriValueConstraint(val allowedSchemes: Array<String> = [])

@ExperimentalAppFunctionsApi
@AppFunctionSerializable(isDescribedByKDoc = true)
class AppFunctionTextResource(val mimeType: String, val content: String)

@ExperimentalAppFunctionsApi
@AppFunctionSchemaCapability
interface AppFunctionResourceContainer {
    val resources: List<AppFunctionTextResource>
        get() = emptyList()
}

@AppFunctionSerializable
class AppFunctionUriGrant(val uri: Uri, val modeFlags: Int)

abstract class AppFunctionService : Service()

abstract class AppFunctionException(val errorMessage: String?) : Exception(errorMessage)

abstract class AppFunctionAppException(errorMessage: String?) : AppFunctionException(errorMessage)

class AppFunctionNotSupportedException(errorMessage: String? = null) :
    AppFunctionAppException(errorMessage)
