package dev.sluice.engine.status;

import java.nio.file.Path;
import java.util.UUID;

/**
 * The file in a task's data directory by which the daemon hands the record of a validation to the
 * command that asked for it. Stateless.
 */
public final class RecordFile {
  private RecordFile() {}

  /**
   * @param id chosen by the command
   */
  public static Path of(Path dataDirectory, UUID id) {
    return dataDirectory.resolve("validation-" + id + ".record");
  }
}
