package dev.sluice.config.document;

/**
 * The location of a value in a user's file. Immutable.
 *
 * @param file the file as the user named it
 * @param line from 1
 * @param column from 1
 * @param path keys and indexes from the root to the value; empty for the root
 */
public record FileLocation(String file, int line, int column, String path) {

  FileLocation key(String key) {
    return new FileLocation(file, line, column, path.isEmpty() ? key : path + "." + key);
  }

  FileLocation index(int index) {
    return new FileLocation(file, line, column, path + "[" + index + "]");
  }

  FileLocation at(int otherLine, int otherColumn) {
    return new FileLocation(file, otherLine, otherColumn, path);
  }

  /** {@code task.yaml:4:8 source.url}, the form that editors and terminals can open. */
  @Override
  public String toString() {
    String position = file + ":" + line + ":" + column;
    return path.isEmpty() ? position : position + " " + path;
  }
}
