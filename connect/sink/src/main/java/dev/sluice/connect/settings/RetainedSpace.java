package dev.sluice.connect.settings;

import dev.sluice.config.settings.DataSize;
import java.nio.file.Path;

/**
 * Where a task keeps the entries that it may have to read again, and how much of the disk they may
 * take. Immutable.
 *
 * @param directory of this task alone
 * @param limit above it nothing more is taken until some of it is durable on the target
 */
public record RetainedSpace(Path directory, DataSize limit) {
  private static final long LARGEST_FILE = 16L * 1024 * 1024;

  /** A file is deleted as a whole, so what it still keeps must be a small part of the limit. */
  private static final int FILES = 8;

  public long fileBytes() {
    return Math.min(LARGEST_FILE, Math.max(1, limit.bytes() / FILES));
  }
}
