package dev.sluice.config.settings;

import dev.sluice.config.TableId;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.List;

/**
 * The target table and the format of some data files, from the task file. Immutable.
 *
 * @param place its location in the task file, for messages
 * @param file a file name, or a pattern with {@code *}, {@code ?} and {@code [ab]}
 * @param columns the file's columns in order; empty: those of its header, or of the table
 * @param format the settings of {@code Import} that are other for these files
 */
public record FileMapping(
    String place, String file, TableId table, List<String> columns, SettingValues format) {

  public FileMapping {
    columns = List.copyOf(columns);
  }

  /**
   * Whether the pattern matches.
   *
   * @param name of a file, without directories
   */
  public boolean matches(String name) {
    return FileSystems.getDefault().getPathMatcher("glob:" + file).matches(Path.of(name));
  }
}
