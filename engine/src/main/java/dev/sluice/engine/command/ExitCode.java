package dev.sluice.engine.command;

/** What the process ends with. */
public final class ExitCode {
  public static final int DONE = 0;

  /** It was tried and did not succeed. */
  public static final int FAILED = 1;

  /** The command line, a file or a server is not as it must be; nothing was tried. */
  static final int BAD_INPUT = 2;

  /** An import is done, but for rows that it put aside. */
  static final int ROWS_PUT_ASIDE = 3;

  /** An order still runs, and nobody knows yet how it ends: the status tells. */
  static final int UNDECIDED = 4;

  /** It was done, but for what the output names: the target lacks something of the source. */
  static final int NOT_COVERED = 5;

  /** Both sides could not be compared: the source went on being written to. */
  static final int NOT_COMPARABLE = 6;

  private ExitCode() {}
}
