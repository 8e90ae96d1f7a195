package dev.sluice.engine.command;

/** The exit codes of the process. */
public final class ExitCode {
  public static final int DONE = 0;

  /** The command was tried and failed. */
  public static final int FAILED = 1;

  /** The command line, a file or a server is not as it must be; nothing was tried. */
  static final int BAD_INPUT = 2;

  /** An import is done, but it put bad rows aside. */
  static final int ROWS_PUT_ASIDE = 3;

  /** The request still runs and has no result yet; the status shows how it ends. */
  static final int UNDECIDED = 4;

  /** The command is done, but the target lacks something of the source, which the output lists. */
  static final int NOT_COVERED = 5;

  /** Source and target could not be compared, since the source was written to meanwhile. */
  static final int NOT_COMPARABLE = 6;

  private ExitCode() {}
}
