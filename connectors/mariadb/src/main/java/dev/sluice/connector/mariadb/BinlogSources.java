package dev.sluice.connector.mariadb;

import dev.sluice.config.document.Fields;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.SourceConfig;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceFactory;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.search.NamedGtids;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The common part of the source types MariaDB and MySQL. Threadsafe. */
abstract sealed class BinlogSources implements SourceFactory permits MariadbSources, MysqlSources {
  private static final Pattern POSITION = Pattern.compile("([^:]+\\.[0-9]{1,9}):([0-9]{1,10})");

  private final Flavour flavour;

  BinlogSources(Flavour flavour) {
    this.flavour = flavour;
  }

  @Override
  public final String name() {
    return flavour.type();
  }

  @Override
  public final Function<Endpoint, SourceConfig> read(Fields section, String defaultName) {
    return MariadbConfig.read(section);
  }

  @Override
  public final Optional<WrongPosition> problemOf(String position) {
    return isPlace(position) || NamedGtids.parse(flavour, position).isPresent()
        ? Optional.empty()
        : Optional.of(
            new WrongPosition(
                "a file of the binary log and an offset, such as %s-bin.000042:4711, or %s"
                    .formatted(flavour.type(), NamedGtids.form(flavour)),
                "Write both as %s has them, with a colon between".formatted(flavour.logStatus())));
  }

  private static boolean isPlace(String position) {
    Matcher parts = POSITION.matcher(position);
    return parts.matches() && Long.parseLong(parts.group(2)) <= 0xFFFF_FFFFL;
  }

  /**
   * Without the mark, since the transaction that ends there is not known. Empty for GTIDs: the
   * capture finds their place.
   */
  @Override
  public final Optional<Position> stopPosition(String text) {
    return isPlace(text)
        ? Optional.of(BinlogPosition.of(BinlogPosition.ofTaskFile(text)).highest())
        : Optional.empty();
  }

  @Override
  public final String textOf(Position position) {
    return BinlogPosition.of(position).toString();
  }

  @Override
  public final Source create(String task, SourceConfig config, Supplier<TaskMark> mark) {
    return new MariadbSource(task, (MariadbConfig) config);
  }
}
