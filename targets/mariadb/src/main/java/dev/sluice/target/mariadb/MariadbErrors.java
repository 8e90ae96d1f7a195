package dev.sluice.target.mariadb;

import dev.sluice.config.net.LostConnection;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetFault;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;

/**
 * Classifies MariaDB's errors by their number: SQLSTATE is the same for many of them. Stateless,
 * threadsafe.
 */
final class MariadbErrors implements TargetErrors {

  /**
   * Also used for sessions that Sluice refuses because of the kind or the settings of their server:
   * a retry would not help.
   */
  static final int NOT_SUPPORTED = 1235;

  /**
   * Deadlocks, also of named locks; a row or a definition that changed after it was read; a
   * transaction that MySQL's group replication rejects.
   */
  private static final Set<Integer> CONFLICT = Set.of(1020, 1213, 1412, 1614, 3058, 3101);

  /** Killed, or longer than max_statement_time. */
  private static final Set<Integer> CANCELLED = Set.of(1317, 1969, 3024);

  /*
   * Disk, memory and connections (1021, 1037, 1038, 1040, 1041, 1114, 1135, 1203, 1206), shutdown
   * and network (1053, 1077, 1152, 1158 to 1161, 1184, 1927, 4031), a lock that was not granted in
   * time (1205), a server that is read-only because it is about to be promoted (1290, 1792, 1836),
   * a commit that failed (1180), a statement that must be prepared again (1615), a Galera node that
   * is not ready (1047), MySQL's offline mode and group replication (3032, 3168).
   */
  private static final Set<Integer> UNAVAILABLE =
      Set.of(
          1021, 1037, 1038, 1040, 1041, 1047, 1053, 1077, 1114, 1135, 1152, 1158, 1159, 1160, 1161,
          1180, 1184, 1203, 1205, 1206, 1290, 1615, 1792, 1836, 1927, 3032, 3168, 4031);

  private static final Set<Integer> MISSING_RIGHT = Set.of(1044, 1142, 1143, 1227, 1370);

  private static final Set<Integer> DUPLICATE = Set.of(1022, 1062, 1169, 1586);

  /*
   * NULL (1048, 1138, 1263, 1364), out of range or in a wrong format (1264, 1265, 1292, 1300, 1365,
   * 1366, 1367, 1411, 1416, 1690), constraints (1216, 1217, 1451, 1452, 4025), no partition (1526,
   * 1748), too long for an index (1071) or a row (1118), and errors that a trigger or a function
   * raises (1644).
   */
  private static final Set<Integer> BAD_ROW =
      Set.of(
          1048, 1071, 1138, 1118, 1216, 1217, 1263, 1264, 1265, 1292, 1300, 1301, 1364, 1365, 1366,
          1367, 1411, 1416, 1451, 1452, 1526, 1644, 1690, 1748, 3140, 3819, 4025);

  /**
   * The SQLSTATE of an error that names rows which violate a constraint: the standard's state for
   * errors that users raise.
   */
  private static final String VIOLATION = "45000";

  /** The driver's text for a certificate file that it cannot read. */
  private static final String NO_CERTIFICATE = "Failed load keyStore";

  private static final Set<Integer> BAD_NAME =
      Set.of(1049, 1050, 1051, 1054, 1060, 1064, 1091, 1109, 1110, 1136, 1146, 1166, 1906);

  private static final Map<Integer, TargetFault> OTHERS =
      Map.ofEntries(
          Map.entry(1406, TargetFault.TOO_LONG),
          // Texts of two collations: with some generated columns, only the first use of the table
          // fails after the server has loaded its definition.
          Map.entry(1267, TargetFault.INTERNAL),
          Map.entry(NOT_SUPPORTED, TargetFault.UNSUPPORTED),
          Map.entry(1845, TargetFault.UNSUPPORTED),
          Map.entry(1846, TargetFault.UNSUPPORTED),
          // A default that the type does not take, and too many or too large indexes.
          Map.entry(1067, TargetFault.UNSUPPORTED),
          Map.entry(1069, TargetFault.UNSUPPORTED),
          Map.entry(1101, TargetFault.UNSUPPORTED),
          // AUTO_INCREMENT on a column of another type; too many columns; columns of a partitioning
          // key.
          Map.entry(1063, TargetFault.UNSUPPORTED),
          Map.entry(1075, TargetFault.UNSUPPORTED),
          Map.entry(1117, TargetFault.UNSUPPORTED),
          Map.entry(1488, TargetFault.DEPENDENT_OBJECT),
          Map.entry(1503, TargetFault.DEPENDENT_OBJECT),
          Map.entry(1654, TargetFault.UNSUPPORTED),
          Map.entry(1659, TargetFault.UNSUPPORTED),
          // A column or a table that an index or a foreign key needs.
          Map.entry(1553, TargetFault.DEPENDENT_OBJECT),
          Map.entry(1828, TargetFault.DEPENDENT_OBJECT),
          Map.entry(1829, TargetFault.DEPENDENT_OBJECT),
          Map.entry(1832, TargetFault.DEPENDENT_OBJECT),
          Map.entry(1833, TargetFault.DEPENDENT_OBJECT),
          Map.entry(3730, TargetFault.DEPENDENT_OBJECT),
          // A column that a generated column, a check or the partitioning of a MySQL table uses.
          Map.entry(3108, TargetFault.DEPENDENT_OBJECT),
          Map.entry(3837, TargetFault.DEPENDENT_OBJECT),
          Map.entry(3855, TargetFault.DEPENDENT_OBJECT),
          Map.entry(3959, TargetFault.DEPENDENT_OBJECT));

  @Override
  public TargetFault faultOf(SQLException error) {
    int number = error.getErrorCode();
    if (CONFLICT.contains(number)) {
      return TargetFault.TRANSACTION_CONFLICT;
    }
    if (CANCELLED.contains(number)) {
      return TargetFault.CANCELLED;
    }
    if (UNAVAILABLE.contains(number) || LostConnection.isIn(error)) {
      return TargetFault.UNAVAILABLE;
    }
    if (MISSING_RIGHT.contains(number)) {
      return TargetFault.MISSING_RIGHT;
    }
    if (DUPLICATE.contains(number)) {
      return TargetFault.DUPLICATE_ROW;
    }
    if (BAD_ROW.contains(number) || VIOLATION.equals(error.getSQLState())) {
      return TargetFault.BAD_ROW;
    }
    return BAD_NAME.contains(number)
        ? TargetFault.BAD_NAME
        : OTHERS.getOrDefault(number, TargetFault.OTHER);
  }

  /**
   * Removes the driver's prefix, which has the connection's number, and its advice to switch
   * verification off. Adds the name of a missing certificate file.
   */
  @Override
  public String textOf(SQLException error) {
    String text = error.getMessage() == null ? error.toString() : error.getMessage();
    return text.replaceFirst("^\\(conn=\\d+\\) ", "")
        .replaceAll("\\s*\\n\\s*", "; ")
        .replaceFirst("; This verification can be disabled.*", "")
        .replaceFirst(NO_CERTIFICATE + "$", NO_CERTIFICATE + ": " + causeOf(error));
  }

  private static String causeOf(SQLException error) {
    return Matcher.quoteReplacement(
        error.getCause() == null ? "no cause" : String.valueOf(error.getCause().getMessage()));
  }

  @Override
  public String fixOfMissingRight(SQLException error) {
    return "Run: GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX, TRIGGER, LOCK TABLES,"
        + " CREATE TEMPORARY TABLES ON the named database TO the user of target.url";
  }
}
