package dev.sluice.config.settings;

import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The declaration of one task setting, used to read it, to log it and to document it. Immutable.
 *
 * @param section its DMS section; empty for the top of the document
 * @param name its DMS name
 * @param kind its type and range
 * @param defaultValue of the kind's type
 * @param dmsDefault the default under the error profile dms-defaults; null if it is the same
 * @param meaning what it does here, or in DMS
 * @param effect whether it has an effect here
 * @param reason why it has no effect; empty if it has
 * @param refusals the values that are problems
 * @param live true: a running task takes a new value; false: the next start does
 */
public record Setting(
    String section,
    String name,
    SettingType kind,
    Object defaultValue,
    Object dmsDefault,
    String meaning,
    Effect effect,
    String reason,
    List<Refusal> refusals,
    boolean live) {

  /** Whether a setting has an effect. */
  public enum Effect {
    /** It has its effect. */
    IN_EFFECT("in effect"),
    /** Sluice works differently; the setting is read and reported. */
    NOT_APPLICABLE("not applicable"),
    /**
     * Not built yet; the setting is read and reported, or refused if ignoring it would change the
     * result.
     */
    NOT_YET("not yet");

    private final String words;

    Effect(String words) {
      this.words = words;
    }

    @Override
    public String toString() {
      return words;
    }
  }

  /**
   * Values that DMS accepts and Sluice refuses.
   *
   * @param values matches the refused values
   * @param allowed the allowed value, for messages
   * @param reason why they are refused
   */
  record Refusal(Predicate<Object> values, String allowed, String reason) {}

  public Setting {
    refusals = List.copyOf(refusals);
  }

  static Setting toggle(String section, String name, boolean defaultValue, String meaning) {
    return inEffect(section, name, new SettingType.Switch(), defaultValue, meaning);
  }

  static Setting count(
      String section,
      String name,
      String unit,
      int least,
      int most,
      int defaultValue,
      String meaning) {
    return inEffect(section, name, new SettingType.Count(unit, least, most), defaultValue, meaning);
  }

  /** Limits and default are decimal numbers of seconds. */
  static Setting seconds(
      String section, String name, String least, String most, String defaultValue, String meaning) {
    SettingType kind = new SettingType.Seconds(new BigDecimal(least), new BigDecimal(most));
    return inEffect(section, name, kind, parsed(kind, defaultValue), meaning);
  }

  static Setting megabytes(
      String section, String name, int least, int most, int defaultValue, String meaning) {
    SettingType kind = new SettingType.Megabytes(least, most);
    return inEffect(section, name, kind, DataSize.ofMebibytes(defaultValue), meaning);
  }

  static Setting choice(
      String section, String name, List<String> allowed, String defaultValue, String meaning) {
    return inEffect(
        section, name, new SettingType.Choice(List.copyOf(allowed)), defaultValue, meaning);
  }

  static Setting text(
      String section, String name, String content, String defaultValue, String meaning) {
    return inEffect(section, name, new SettingType.FreeText(content), defaultValue, meaning);
  }

  /** A setting with a value of any type, which never has an effect. */
  static Setting anything(String section, String name, String meaning) {
    return inEffect(section, name, new SettingType.Anything(), "none", meaning);
  }

  private static Setting inEffect(
      String section, String name, SettingType kind, Object defaultValue, String meaning) {
    return new Setting(
        section, name, kind, defaultValue, null, meaning, Effect.IN_EFFECT, "", List.of(), false);
  }

  private static Object parsed(SettingType kind, String number) {
    FileLocation nowhere = new FileLocation("", 1, 1, "");
    return kind.valueOf(new Node.Number(nowhere, number, new BigDecimal(number))).orElseThrow();
  }

  Setting notApplicable(String why) {
    return new Setting(
        section,
        name,
        kind,
        defaultValue,
        dmsDefault,
        meaning,
        Effect.NOT_APPLICABLE,
        why,
        refusals,
        false);
  }

  Setting notYet(String why) {
    return new Setting(
        section,
        name,
        kind,
        defaultValue,
        dmsDefault,
        meaning,
        Effect.NOT_YET,
        why,
        refusals,
        false);
  }

  /** The same with another default under the error profile dms-defaults. */
  Setting orDms(Object other) {
    return new Setting(
        section, name, kind, defaultValue, other, meaning, effect, reason, refusals, live);
  }

  /** The same with every value but one refused. */
  Setting only(Object honoured, String why) {
    return refusing(value -> !value.equals(honoured), kind.show(honoured), why);
  }

  Setting refusing(Predicate<Object> values, String allowed, String why) {
    List<Refusal> more = new ArrayList<>(refusals);
    more.add(new Refusal(values, allowed, why));
    return new Setting(
        section, name, kind, defaultValue, dmsDefault, meaning, effect, reason, more, live);
  }

  /** The same setting in a rule for one table. */
  Setting ofTable(String rule, String meaningForTable) {
    return new Setting(
        rule,
        name,
        kind,
        defaultValue,
        dmsDefault,
        meaningForTable,
        effect,
        reason,
        refusals,
        live);
  }

  /** The same, changeable while a task runs. */
  Setting changesLive() {
    return new Setting(
        section, name, kind, defaultValue, dmsDefault, meaning, effect, reason, refusals, true);
  }

  /**
   * The value of a node; empty after a problem.
   *
   * @param thing what a problem names: the node's location, or the command that gave the value
   */
  public Optional<Object> valueOf(Node node, String thing, Problems problems) {
    Optional<Object> value = kind.valueOf(node);
    if (value.isEmpty()) {
      problems.add(new Problem(thing, node.shown(), kind.expected(), kind.fix(node)));
      return value;
    }
    for (Refusal refusal : refusals) {
      if (refusal.values().test(value.get())) {
        problems.add(
            new Problem(
                thing,
                node.shown() + " is not supported: " + refusal.reason(),
                refusal.allowed(),
                "Change it to " + refusal.allowed() + ", or remove it"));
        return Optional.empty();
      }
    }
    return value;
  }

  /** Section and name, for messages: {@code ChangeProcessingTuning.BatchSplitSize}. */
  public String path() {
    return section.isEmpty() ? name : section + "." + name;
  }

  String shownDefault() {
    return dmsDefault == null
        ? kind.show(defaultValue)
        : kind.show(defaultValue) + "; dms-defaults: " + kind.show(dmsDefault);
  }
}
