package dev.sluice.config.settings;

import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The declaration of one task setting: it is read, changed, logged and documented by this object
 * alone. {@link TaskSettings#get} gives its value. A constant of its section's class. Immutable.
 *
 * @param <T> the Java type of its values
 */
public final class Setting<T> {

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

  private final String section;
  private final String name;
  private final SettingType<T> type;
  private final T defaultValue;
  private final String meaning;
  private final SettingOptions<T> options;
  private final String path;

  private Setting(
      String section,
      String name,
      SettingType<T> type,
      T defaultValue,
      String meaning,
      SettingOptions<T> options) {
    this.section = section;
    this.name = name;
    this.type = type;
    this.defaultValue = Objects.requireNonNull(defaultValue);
    this.meaning = meaning;
    this.options = options;
    this.path = section.isEmpty() ? name : section + "." + name;
  }

  static Setting<Boolean> toggle(String name, boolean defaultValue, String meaning) {
    return inEffect(name, new SettingType.Switch(), defaultValue, meaning);
  }

  static Setting<Integer> count(
      String name, String unit, int least, int most, int defaultValue, String meaning) {
    return inEffect(name, new SettingType.Count(unit, least, most), defaultValue, meaning);
  }

  /** Limits and default are decimal numbers of seconds. */
  static Setting<Duration> seconds(
      String name, String least, String most, String defaultValue, String meaning) {
    SecondsType type = new SecondsType(new BigDecimal(least), new BigDecimal(most));
    return inEffect(name, type, type.valueOf(number(defaultValue)).orElseThrow(), meaning);
  }

  /** The same, or the word {@code auto}. */
  static Setting<LeastWindowTime> secondsOrAuto(
      String name, String least, String most, String defaultValue, String meaning) {
    SecondsOrAutoType type =
        new SecondsOrAutoType(new SecondsType(new BigDecimal(least), new BigDecimal(most)));
    return inEffect(name, type, type.valueOf(number(defaultValue)).orElseThrow(), meaning);
  }

  private static Node.Number number(String text) {
    return new Node.Number(new FileLocation("", 1, 1, ""), text, new BigDecimal(text));
  }

  static Setting<DataSize> megabytes(
      String name, int least, int most, int defaultValue, String meaning) {
    return inEffect(
        name, new SettingType.Megabytes(least, most), DataSize.ofMebibytes(defaultValue), meaning);
  }

  /** One of some values; a document has their texts. */
  static <E> Setting<E> choice(String name, List<E> allowed, E defaultValue, String meaning) {
    return inEffect(name, new SettingType.Choice<>(allowed), defaultValue, meaning);
  }

  static Setting<String> text(String name, String content, String defaultValue, String meaning) {
    return inEffect(name, new SettingType.FreeText(content), defaultValue, meaning);
  }

  /** A text that may be missing, which the empty text means. */
  static Setting<Optional<String>> optionalText(
      String name, String content, Optional<String> defaultValue, String meaning) {
    return inEffect(
        name,
        new SettingType.OptionalText(new SettingType.FreeText(content)),
        defaultValue,
        meaning);
  }

  /** A setting with a value of any type, which never has an effect. */
  static Setting<Object> anything(String name, String meaning) {
    return inEffect(name, new SettingType.Anything(), "none", meaning);
  }

  private static <T> Setting<T> inEffect(
      String name, SettingType<T> type, T defaultValue, String meaning) {
    return new Setting<>("", name, type, defaultValue, meaning, SettingOptions.inEffect());
  }

  /** The same, declared in a section. */
  Setting<T> in(String ofDocument) {
    return new Setting<>(ofDocument, name, type, defaultValue, meaning, options);
  }

  /** The same setting in a rule for one table, where it has another meaning. */
  Setting<T> ofTable(String meaningForTable) {
    return new Setting<>("", name, type, defaultValue, meaningForTable, options);
  }

  Setting<T> notApplicable(String why) {
    return with(options.without(Effect.NOT_APPLICABLE, why));
  }

  Setting<T> notYet(String why) {
    return with(options.without(Effect.NOT_YET, why));
  }

  /** The same with another default under the error profile dms-defaults. */
  Setting<T> orDms(T other) {
    return with(options.orDms(other));
  }

  /** The same with every value but one refused. */
  Setting<T> only(T honoured, String why) {
    return refusing(value -> !value.equals(honoured), type.show(honoured), why);
  }

  Setting<T> refusing(Predicate<T> values, String allowed, String why) {
    return with(options.refusing(new SettingOptions.Refusal<>(values, allowed, why)));
  }

  /** The same, changeable while a task runs. */
  Setting<T> changesLive() {
    return with(options.marked(SettingOptions.Mark.LIVE));
  }

  /** The same, without a property of the Connect sink: it needs the daemon. */
  Setting<T> notInConnect() {
    return with(options.marked(SettingOptions.Mark.NOT_IN_CONNECT));
  }

  /** The same; a value that is refused is not shown. */
  Setting<T> mayHoldSecret() {
    return with(options.marked(SettingOptions.Mark.MAY_HOLD_SECRET));
  }

  private Setting<T> with(SettingOptions<T> others) {
    return new Setting<>(section, name, type, defaultValue, meaning, others);
  }

  /**
   * The value of a node; empty after a problem.
   *
   * @param thing what a problem names: the node's location, or the command that gave the value
   */
  public Optional<T> valueOf(Node node, String thing, Problems problems) {
    Optional<T> value = type.valueOf(node);
    String shown = options.has(SettingOptions.Mark.MAY_HOLD_SECRET) ? node.kind() : node.shown();
    if (value.isEmpty()) {
      problems.add(new Problem(thing, shown, type.expected(), type.fix(node)));
      return value;
    }
    Optional<SettingOptions.Refusal<T>> refusal = options.refusalOf(value.get());
    refusal.ifPresent(found -> problems.add(found.problem(thing, shown)));
    return refusal.isPresent() ? Optional.empty() : value;
  }

  /** Its section, of DMS or our own; empty for the top of the document. */
  public String section() {
    return section;
  }

  /** Its name, DMS's where DMS has the setting. */
  public String name() {
    return name;
  }

  public SettingType<T> type() {
    return type;
  }

  public T defaultValue() {
    return defaultValue;
  }

  /** The default under the error profile dms-defaults; empty if it is the same. */
  Optional<T> dmsDefault() {
    return options.dmsDefault();
  }

  /** What it does here, or in DMS. */
  public String meaning() {
    return meaning;
  }

  /** Whether it has an effect here. */
  public Effect effect() {
    return options.effect();
  }

  /** Why it has no effect; empty if it has. */
  public String reason() {
    return options.reason();
  }

  /** The values that are problems. */
  List<SettingOptions.Refusal<T>> refusals() {
    return options.refusals();
  }

  /** True: a running task takes a new value; false: the next start does. */
  public boolean live() {
    return options.has(SettingOptions.Mark.LIVE);
  }

  /** Whether it is a property of the Connect sink, if its section is. */
  boolean inConnect() {
    return !options.has(SettingOptions.Mark.NOT_IN_CONNECT);
  }

  /** Section and name, for messages: {@code ChangeProcessingTuning.BatchSplitSize}. */
  public String path() {
    return path;
  }

  String shownDefault() {
    return type.show(defaultValue)
        + options.dmsDefault().map(other -> "; dms-defaults: " + type.show(other)).orElse("");
  }

  @Override
  public String toString() {
    return path;
  }
}
