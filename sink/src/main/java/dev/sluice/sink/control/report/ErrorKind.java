package dev.sluice.sink.control.report;

import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.Setting;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.sink.target.TargetFault;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Kinds of errors of rejected changes, each with its DMS policy. */
public enum ErrorKind {
  /** A value cannot be converted or stored, or a check of the target fails. */
  DATA(Group.DATA, ErrorBehavior.DATA_ERROR_POLICY),
  /** A value is longer than its target column. */
  TRUNCATION(Group.DATA, ErrorBehavior.DATA_TRUNCATION_ERROR_POLICY),
  /** The table or a column of it is missing. */
  TABLE(Group.TABLE, ErrorBehavior.TABLE_ERROR_POLICY),
  /** The row of an INSERT exists already. */
  INSERT(Group.APPLY, ErrorBehavior.APPLY_ERROR_INSERT_POLICY),
  /** An UPDATE finds no row, or conflicts with another one. */
  UPDATE(Group.APPLY, ErrorBehavior.APPLY_ERROR_UPDATE_POLICY),
  /** A DELETE finds no row. */
  DELETE(Group.APPLY, ErrorBehavior.APPLY_ERROR_DELETE_POLICY);

  /** Kinds that are counted together, with the policy for repeated errors of a table. */
  private enum Group {
    DATA(ErrorBehavior.DATA_ERROR_ESCALATION_POLICY, ErrorBehavior.DATA_ERROR_ESCALATION_COUNT),
    TABLE(ErrorBehavior.TABLE_ERROR_ESCALATION_POLICY, ErrorBehavior.TABLE_ERROR_ESCALATION_COUNT),
    APPLY(ErrorBehavior.APPLY_ERROR_ESCALATION_POLICY, ErrorBehavior.APPLY_ERROR_ESCALATION_COUNT);

    private final Setting<ErrorAction> policy;
    private final Setting<Integer> count;

    Group(Setting<ErrorAction> policy, Setting<Integer> count) {
      this.policy = policy;
      this.count = count;
    }
  }

  private final Group group;
  private final Setting<ErrorAction> policy;

  ErrorKind(Group group, Setting<ErrorAction> policy) {
    this.group = group;
    this.policy = policy;
  }

  /**
   * Returns the kind of a row change's error.
   *
   * @param fault the target's error; empty if the change matched no row, or more than one
   */
  public static ErrorKind of(RowChange change, Optional<TargetFault> fault) {
    if (fault.isEmpty() || fault.get() == TargetFault.DUPLICATE_ROW) {
      if (change.match() == null) {
        return INSERT;
      }
      return change.row() == null ? DELETE : UPDATE;
    }
    return switch (fault.get()) {
      case TOO_LONG -> TRUNCATION;
      case BAD_NAME -> TABLE;
      default -> DATA;
    };
  }

  /** The setting with the policy for this kind. */
  public Setting<ErrorAction> policy() {
    return policy;
  }

  /** The setting with the policy for repeated errors of this kind and {@link #countedWith}. */
  public Setting<ErrorAction> escalationPolicy() {
    return group.policy;
  }

  /** The setting with the number of errors that triggers the escalation; its value 0 is never. */
  public Setting<Integer> escalationCount() {
    return group.count;
  }

  /** The kinds that the escalation counts together with this one. */
  public Set<ErrorKind> countedWith() {
    return Stream.of(values())
        .filter(kind -> kind.group == group)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(ErrorKind.class)));
  }
}
