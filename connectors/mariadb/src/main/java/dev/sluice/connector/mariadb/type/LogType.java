package dev.sluice.connector.mariadb.type;

import dev.sluice.connector.mariadb.server.Flavour;
import java.util.Optional;

/** The types of columns in the binary log, with the size of what the log says beside the type. */
public enum LogType {
  TINY(1, 0),
  SHORT(2, 0),
  LONG(3, 0),
  FLOAT(4, 1),
  DOUBLE(5, 1),
  /** The forms of times from before MySQL 5.6, whose precision the log does not have. */
  OLD_TIMESTAMP(7, 0),
  LONGLONG(8, 0),
  INT24(9, 0),
  DATE(10, 0),
  OLD_TIME(11, 0),
  OLD_DATETIME(12, 0),
  YEAR(13, 0),
  VARCHAR(15, 2),
  BIT(16, 2),
  TIMESTAMP(17, 1),
  DATETIME(18, 1),
  TIME(19, 1),
  COMPRESSED_BLOB(140, 1),
  COMPRESSED_VARCHAR(141, 2),
  /** MySQL's JSON, which is binary. */
  JSON(245, 1),
  DECIMAL(246, 2),
  ENUM(247, 2),
  SET(248, 2),
  BLOB(252, 1),
  STRING(254, 2),
  GEOMETRY(255, 1);

  private static final LogType[] BY_CODE = new LogType[256];

  static {
    for (LogType type : values()) {
      BY_CODE[type.code] = type;
    }
  }

  private final int code;
  private final int metadataBytes;

  LogType(int code, int metadataBytes) {
    this.code = code;
    this.metadataBytes = metadataBytes;
  }

  /** The type with a code; empty if it is unknown. */
  public static Optional<LogType> of(int code) {
    return Optional.ofNullable(BY_CODE[code]);
  }

  public int metadataBytes() {
    return metadataBytes;
  }

  /**
   * The type of a column that is STRING in the log; its metadata distinguish it from ENUM and SET.
   */
  public LogType real(int metadata) {
    int code = metadata & 0xFF;
    return this == STRING && (code == ENUM.code || code == SET.code) ? BY_CODE[code] : this;
  }

  /** Whether the log says whether a number of this type has a sign. */
  public boolean hasSign() {
    return switch (this) {
      case TINY, SHORT, INT24, LONG, LONGLONG, DECIMAL, FLOAT, DOUBLE, YEAR -> true;
      default -> false;
    };
  }

  /** Whether the log says which collation a column of this type has, as it does of bytes, too. */
  public boolean hasCollation(Flavour flavour) {
    return switch (this) {
      case VARCHAR, STRING, BLOB, COMPRESSED_BLOB, COMPRESSED_VARCHAR -> true;
      case GEOMETRY -> flavour == Flavour.MARIADB;
      default -> false;
    };
  }

  /** Whether the columns of this type have labels. */
  public boolean hasLabels() {
    return this == ENUM || this == SET;
  }
}
