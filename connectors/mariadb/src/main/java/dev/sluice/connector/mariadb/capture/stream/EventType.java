package dev.sluice.connector.mariadb.capture.stream;

import dev.sluice.connector.mariadb.server.Flavour;

/** The numbers of the types of events. Stateless. */
public final class EventType {
  public static final int QUERY = 2;
  public static final int STOP = 3;
  public static final int ROTATE = 4;
  public static final int INTVAR = 5;
  public static final int APPEND_BLOCK = 9;
  public static final int DELETE_FILE = 11;
  public static final int RAND = 13;
  public static final int USER_VAR = 14;
  public static final int FORMAT_DESCRIPTION = 15;
  public static final int XID = 16;
  public static final int BEGIN_LOAD_QUERY = 17;
  public static final int EXECUTE_LOAD_QUERY = 18;
  public static final int TABLE_MAP = 19;
  static final int WRITE_ROWS_1 = 23;
  static final int UPDATE_ROWS_1 = 24;
  static final int DELETE_ROWS_1 = 25;
  public static final int INCIDENT = 26;
  public static final int HEARTBEAT = 27;
  static final int WRITE_ROWS_2 = 30;
  static final int UPDATE_ROWS_2 = 31;
  static final int DELETE_ROWS_2 = 32;
  public static final int ROWS_QUERY = 29;
  public static final int MYSQL_GTID = 33;
  public static final int MYSQL_ANONYMOUS_GTID = 34;
  public static final int MYSQL_PREVIOUS_GTIDS = 35;
  public static final int TRANSACTION_CONTEXT = 36;
  public static final int VIEW_CHANGE = 37;
  public static final int XA_PREPARE = 38;
  public static final int PARTIAL_UPDATE_ROWS = 39;
  public static final int TRANSACTION_PAYLOAD = 40;
  public static final int HEARTBEAT_2 = 41;
  public static final int MYSQL_TAGGED_GTID = 42;
  public static final int ANNOTATE_ROWS = 160;
  public static final int BINLOG_CHECKPOINT = 161;
  public static final int GTID = 162;
  public static final int GTID_LIST = 163;
  public static final int START_ENCRYPTION = 164;
  public static final int COMPRESSED_QUERY = 165;
  static final int COMPRESSED_WRITE_ROWS = 166;
  static final int COMPRESSED_UPDATE_ROWS = 167;
  static final int COMPRESSED_DELETE_ROWS = 168;

  private EventType() {}

  public static boolean isRows(int type) {
    return type >= WRITE_ROWS_1 && type <= DELETE_ROWS_1
        || type >= WRITE_ROWS_2 && type <= DELETE_ROWS_2
        || type >= COMPRESSED_WRITE_ROWS && type <= COMPRESSED_DELETE_ROWS;
  }

  /** Whether this kind of server is known to write events of this type. */
  public static boolean isOf(Flavour flavour, int type) {
    return flavour == Flavour.MARIADB ? !isOnlyOfMysql(type) : type < ANNOTATE_ROWS;
  }

  private static boolean isOnlyOfMysql(int type) {
    return switch (type) {
      case ROWS_QUERY,
          MYSQL_GTID,
          MYSQL_ANONYMOUS_GTID,
          MYSQL_PREVIOUS_GTIDS,
          TRANSACTION_CONTEXT,
          VIEW_CHANGE,
          HEARTBEAT_2,
          MYSQL_TAGGED_GTID ->
          true;
      default -> false;
    };
  }

  /** Whether a MySQL transaction begins with this event. */
  public static boolean beginsTransactionOfMysql(int type) {
    return type == MYSQL_GTID || type == MYSQL_ANONYMOUS_GTID || type == MYSQL_TAGGED_GTID;
  }

  public static boolean isHeartbeat(int type) {
    return type == HEARTBEAT || type == HEARTBEAT_2;
  }

  public static boolean isInsert(int type) {
    return type == WRITE_ROWS_1 || type == WRITE_ROWS_2 || type == COMPRESSED_WRITE_ROWS;
  }

  public static boolean isUpdate(int type) {
    return type == UPDATE_ROWS_1 || type == UPDATE_ROWS_2 || type == COMPRESSED_UPDATE_ROWS;
  }

  /** Whether events of this type have two more bytes before the rows: the size of extra data. */
  public static boolean hasExtraBytes(int type) {
    return type >= WRITE_ROWS_2 && type <= DELETE_ROWS_2;
  }

  public static boolean isCompressed(int type) {
    return type >= COMPRESSED_QUERY && type <= COMPRESSED_DELETE_ROWS;
  }
}
