package dev.sluice.config.task;

import dev.sluice.config.document.Fields;
import java.util.Optional;
import java.util.function.Function;

/**
 * A type of source database: what a connector declares for the task file. The connector names its
 * class in {@code META-INF/services}: {@link EndpointTypes} finds it there. Immutable.
 */
public interface SourceType extends EndpointType {

  /**
   * Reads the keys of section {@code source} that only this type has. Problems are added to those
   * of the section.
   *
   * @param section all others of its keys were read
   * @param defaultName default of names on the source; empty if the task's name has a problem
   * @return makes the configuration, once the endpoint is known
   */
  Function<Endpoint, SourceConfig> read(Fields section, String defaultName);

  /**
   * A source of this type at the former target, for the way back of a task.
   *
   * @param forward the task's source, which may allow things there
   * @param endpoint the former target, with the user that reads its log
   * @param name default of names on it
   * @return empty if this type cannot be a source of such a task
   */
  default Optional<SourceConfig> reversed(SourceConfig forward, Endpoint endpoint, String name) {
    return Optional.empty();
  }

  /**
   * What is wrong with a position in this source's log; empty if it is one. A source may also take
   * names of transactions: those that the target has, or those after which the task stops.
   */
  Optional<WrongPosition> problemOf(String position);

  /** The same of a position at which a task stops. */
  default Optional<WrongPosition> problemOfStop(String position) {
    return problemOf(position);
  }

  /** The type of a source that was read by it. */
  static SourceType of(SourceConfig source) {
    return EndpointTypes.sources()
        .named(source.endpoint().type())
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "BUG: no source type " + source.endpoint().type() + " is declared"));
  }

  /**
   * A text that is no position of the source.
   *
   * @param expected the form of positions
   * @param fix how the user gets one
   */
  record WrongPosition(String expected, String fix) {}
}
