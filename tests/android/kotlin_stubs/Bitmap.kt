package android.graphics

import android.os.Parcelable

class Bitmap : Parcelable
