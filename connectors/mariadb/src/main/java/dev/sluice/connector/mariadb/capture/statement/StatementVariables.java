package dev.sluice.connector.mariadb.capture.statement;

import dev.sluice.connector.mariadb.capture.stream.LogBytes;
import java.util.OptionalInt;

/*
 * A variable: code 1 | value, whose form depends on the code. Both servers have those up to 13 alike;
 * the others that are read are MySQL's.
 */
/**
 * The settings of a session in the event of a statement. Immutable.
 *
 * @param mode the bits of sql_mode
 * @param collation the number of the text's collation; empty if the event does not have it
 * @param withXid whether MySQL wrote it together with a change of the engine, or may have: a value
 *     after one that is not known here is not read
 */
record StatementVariables(long mode, OptionalInt collation, boolean withXid) {
  private static final int FLAGS = 0;
  private static final int SQL_MODE = 1;
  private static final int AUTO_INCREMENT = 3;
  private static final int CHARACTER_SET = 4;
  private static final int TIME_ZONE = 5;
  private static final int CATALOG = 6;
  private static final int NAMES_OF_TIMES = 7;
  private static final int DATABASE_COLLATION = 8;
  private static final int UPDATED_TABLES = 9;
  private static final int SENT_BYTES = 10;
  private static final int INVOKER = 11;
  private static final int DATABASES = 12;
  private static final int MICROSECONDS = 13;
  private static final int TIMESTAMPS_BY_DEFAULT = 16;
  private static final int XID = 17;
  private static final int UTF8MB4_COLLATION = 18;
  private static final int KEY_REQUIRED = 19;
  private static final int ENCRYPTED_BY_DEFAULT = 20;

  /** Means that there are too many databases to name. */
  private static final int TOO_MANY = 254;

  static StatementVariables read(LogBytes variables) {
    long mode = 0;
    OptionalInt collation = OptionalInt.empty();
    boolean withXid = false;
    while (variables.hasMore()) {
      switch (variables.next()) {
        case SQL_MODE -> mode = variables.number(8);
        case CHARACTER_SET -> {
          collation = OptionalInt.of((int) variables.number(2));
          variables.skip(4);
        }
        case XID -> {
          withXid = true;
          variables.skip(8);
        }
        case TIMESTAMPS_BY_DEFAULT, KEY_REQUIRED, ENCRYPTED_BY_DEFAULT -> variables.skip(1);
        case NAMES_OF_TIMES, DATABASE_COLLATION, UTF8MB4_COLLATION -> variables.skip(2);
        case MICROSECONDS -> variables.skip(3);
        case FLAGS, AUTO_INCREMENT, SENT_BYTES -> variables.skip(4);
        case UPDATED_TABLES -> variables.skip(8);
        case TIME_ZONE, CATALOG -> variables.skip(variables.next());
        case INVOKER -> {
          variables.skip(variables.next());
          variables.skip(variables.next());
        }
        case DATABASES -> skipNames(variables);
        default -> {
          return new StatementVariables(mode, collation, true);
        }
      }
    }
    return new StatementVariables(mode, collation, withXid);
  }

  private static void skipNames(LogBytes variables) {
    int count = variables.next();
    for (int i = 0; i < count && count != TOO_MANY; i++) {
      while (variables.next() != 0) {
        // A name ends with a zero.
      }
    }
  }
}
