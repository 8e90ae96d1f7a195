package dev.sluice.connector.generic;

import dev.sluice.config.document.Fields;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.SourceConfig;
import dev.sluice.config.task.UrlForm;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceFactory;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.generic.config.GenericConfig;
import dev.sluice.connector.generic.config.PlaceText;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Any Debezium connector as a type of source. Threadsafe. */
public final class GenericSources implements SourceFactory {

  @Override
  public String name() {
    return GenericConfig.TYPE;
  }

  @Override
  public UrlForm url() {
    return GenericConfig.URL;
  }

  @Override
  public Function<Endpoint, SourceConfig> read(Fields section, String defaultName) {
    return GenericConfig.read(section, defaultName);
  }

  /** Which of the forms the source has, it says when it is asked. */
  @Override
  public Optional<WrongPosition> problemOf(String position) {
    return PlaceText.parse(position).isPresent()
        ? Optional.empty()
        : Optional.of(
            new WrongPosition(
                PlaceText.FORMS, "Write a place of the source's log in one of these forms"));
  }

  /** A position is a number that the capture gives: it names no place in the source's log. */
  @Override
  public Optional<WrongPosition> problemOfStop(String position) {
    return Optional.of(
        new WrongPosition(
            "no position: source.type debezium has none that could be named",
            "Remove it: the task begins with Debezium's snapshot, and goes on where the journal"
                + " ends"));
  }

  @Override
  public Optional<Position> stopPosition(String text) {
    throw new IllegalStateException("BUG: a position that was not checked: " + text);
  }

  @Override
  public Source create(String task, SourceConfig config, Supplier<TaskMark> mark) {
    return new GenericSource(task, (GenericConfig) config, mark);
  }
}
