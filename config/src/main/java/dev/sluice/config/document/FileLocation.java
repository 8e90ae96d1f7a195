package dev.sluice.config.document;

/**
 * Where a value stands in a user's file. Immutable.
 *
 * @param file the file as the user named it
 * @param line from 1
 * @param column from 1
 * @param path the way to the value through the document; empty for its root
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

  /** {@code task.yaml:4:8 source.url}, as editors and terminals understand it. */
  @Override
  public String toString() {
    String position = file + ":" + line + ":" + column;
    return path.isEmpty() ? position : position + " " + path;
  }
}
