package dev.sluice.connect.settings;

import dev.sluice.config.settings.DataSize;
import java.nio.file.Path;

/**
 * The directory and disk limit of the entries that a task may have to read again. Immutable.
 *
 * @param directory the directory, used by this task alone
 * @param limit disk limit; when it is reached, no more is taken until entries become durable on the
 *     target
 */
public record RetainedSpace(Path directory, DataSize limit) {
  private static final long LARGEST_FILE = 16L * 1024 * 1024;

  /**
   * Number of files within the limit. Files are deleted only as a whole, so each must be a small
   * part of it.
   */
  private static final int FILES = 8;

  public long fileBytes() {
    return Math.min(LARGEST_FILE, Math.max(1, limit.bytes() / FILES));
  }
}
