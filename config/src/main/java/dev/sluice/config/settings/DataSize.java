package dev.sluice.config.settings;

import java.util.Locale;

/** An amount of memory or disk, in bytes; never negative. Immutable. */
public record DataSize(long bytes) implements Comparable<DataSize> {

  public DataSize {
    if (bytes < 0) {
      throw new IllegalArgumentException("a size of " + bytes + " bytes is negative");
    }
  }

  public static DataSize ofBytes(long bytes) {
    return new DataSize(bytes);
  }

  public static DataSize ofKibibytes(long kibibytes) {
    return new DataSize(Math.multiplyExact(kibibytes, 1024L));
  }

  public static DataSize ofMebibytes(long mebibytes) {
    return new DataSize(Math.multiplyExact(mebibytes, 1024L * 1024L));
  }

  public DataSize min(DataSize other) {
    return bytes <= other.bytes ? this : other;
  }

  @Override
  public int compareTo(DataSize other) {
    return Long.compare(bytes, other.bytes);
  }

  /** For messages: {@code 512 B}, {@code 64.0 MiB}. */
  @Override
  public String toString() {
    if (bytes < 1024) {
      return bytes + " B";
    }
    double value = bytes;
    String[] units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int unit = -1;
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %s", value, units[unit]);
  }
}
