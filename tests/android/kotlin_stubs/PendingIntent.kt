package android.app

import android.os.Parcelable

class PendingIntent : Parcelable
