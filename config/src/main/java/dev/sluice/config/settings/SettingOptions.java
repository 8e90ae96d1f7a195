package dev.sluice.config.settings;

import dev.sluice.config.document.Problem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What a {@link Setting} may have beside its type and default, and most do not. Immutable.
 *
 * @param dmsDefault the default under the error profile dms-defaults; empty if it is the same
 * @param effect whether the setting has an effect
 * @param reason why it has no effect; empty if it has
 * @param refusals the values that are problems
 * @param marks what else holds for it
 * @param <T> the Java type of its values
 */
record SettingOptions<T>(
    Optional<T> dmsDefault,
    Setting.Effect effect,
    String reason,
    List<Refusal<T>> refusals,
    Set<Mark> marks) {

  enum Mark {
    LIVE,
    NOT_IN_CONNECT,
    MAY_HOLD_SECRET
  }

  /**
   * Values that DMS accepts and Sluice refuses.
   *
   * @param values matches the refused values
   * @param allowed the allowed value, for messages
   * @param reason why they are refused
   */
  record Refusal<T>(Predicate<T> values, String allowed, String reason) {

    /**
     * The problem of a refused value.
     *
     * @param thing what the problem names
     * @param shown the value
     */
    Problem problem(String thing, String shown) {
      return new Problem(
          thing,
          shown + " is not supported: " + reason,
          allowed,
          "Change it to " + allowed + ", or remove it");
    }
  }

  SettingOptions {
    refusals = List.copyOf(refusals);
    marks = Set.copyOf(marks);
  }

  /** Those of a setting that is in effect. */
  static <T> SettingOptions<T> inEffect() {
    return new SettingOptions<>(
        Optional.empty(), Setting.Effect.IN_EFFECT, "", List.of(), Set.of());
  }

  SettingOptions<T> without(Setting.Effect missing, String why) {
    return new SettingOptions<>(dmsDefault, missing, why, refusals, marks);
  }

  SettingOptions<T> orDms(T other) {
    return new SettingOptions<>(Optional.of(other), effect, reason, refusals, marks);
  }

  SettingOptions<T> refusing(Refusal<T> refusal) {
    List<Refusal<T>> more = new ArrayList<>(refusals);
    more.add(refusal);
    return new SettingOptions<>(dmsDefault, effect, reason, more, marks);
  }

  SettingOptions<T> marked(Mark mark) {
    Set<Mark> more = new HashSet<>(marks);
    more.add(mark);
    return new SettingOptions<>(dmsDefault, effect, reason, refusals, more);
  }

  boolean has(Mark mark) {
    return marks.contains(mark);
  }

  /** The refusal of a value; empty if it is allowed. */
  Optional<Refusal<T>> refusalOf(T value) {
    return refusals.stream().filter(refusal -> refusal.values().test(value)).findFirst();
  }
}
