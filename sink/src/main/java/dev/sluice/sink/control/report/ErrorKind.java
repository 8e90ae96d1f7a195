package dev.sluice.sink.control.report;

import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorPolicies;
import dev.sluice.config.settings.ErrorPolicies.Escalation;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import java.util.EnumSet;
import java.util.Set;

/** Kinds of errors of rejected changes, each with its DMS policy. */
public enum ErrorKind {
  /** A value cannot be converted or stored, or a check of the target fails. */
  DATA,
  /** A value is longer than its target column. */
  TRUNCATION,
  /** The table or a column of it is missing. */
  TABLE,
  /** The row of an INSERT exists already. */
  INSERT,
  /** An UPDATE finds no row, or conflicts with another one. */
  UPDATE,
  /** A DELETE finds no row. */
  DELETE;

  private static final Set<ErrorKind> DATA_ERRORS = EnumSet.of(DATA, TRUNCATION);
  private static final Set<ErrorKind> TABLE_ERRORS = EnumSet.of(TABLE);
  private static final Set<ErrorKind> APPLY_ERRORS = EnumSet.of(INSERT, UPDATE, DELETE);

  /**
   * Returns the kind of a row change's error.
   *
   * @param sqlState SQLSTATE of the error; empty if the change matched no row, or more than one
   */
  public static ErrorKind of(RowChange change, String sqlState) {
    if (sqlState.isEmpty() || sqlState.equals("23505") || sqlState.equals("23P01")) {
      if (change.match() == null) {
        return INSERT;
      }
      return change.row() == null ? DELETE : UPDATE;
    }
    if (sqlState.equals("22001")) {
      return TRUNCATION;
    }
    return sqlState.startsWith("42") ? TABLE : DATA;
  }

  public ErrorAction action(ErrorPolicies policies) {
    return switch (this) {
      case DATA -> policies.data();
      case TRUNCATION -> policies.truncation();
      case TABLE -> policies.table();
      case INSERT -> policies.insert();
      case UPDATE -> policies.update();
      case DELETE -> policies.delete();
    };
  }

  public Escalation escalation(ErrorPolicies policies) {
    return switch (this) {
      case DATA, TRUNCATION -> policies.dataEscalation();
      case TABLE -> policies.tableEscalation();
      case INSERT, UPDATE, DELETE -> policies.applyEscalation();
    };
  }

  /** The setting with the policy for this kind. */
  public String setting() {
    return switch (this) {
      case DATA -> "DataErrorPolicy";
      case TRUNCATION -> "DataTruncationErrorPolicy";
      case TABLE -> "TableErrorPolicy";
      case INSERT -> "ApplyErrorInsertPolicy";
      case UPDATE -> "ApplyErrorUpdatePolicy";
      case DELETE -> "ApplyErrorDeletePolicy";
    };
  }

  /** The setting with the escalation policy for this kind. */
  public String escalationSetting() {
    return switch (this) {
      case DATA, TRUNCATION -> "DataErrorEscalationPolicy";
      case TABLE -> "TableErrorEscalationPolicy";
      case INSERT, UPDATE, DELETE -> "ApplyErrorEscalationPolicy";
    };
  }

  /** The kinds that the escalation counts together with this one. */
  public Set<ErrorKind> countedWith() {
    return switch (this) {
      case DATA, TRUNCATION -> DATA_ERRORS;
      case TABLE -> TABLE_ERRORS;
      case INSERT, UPDATE, DELETE -> APPLY_ERRORS;
    };
  }
}
