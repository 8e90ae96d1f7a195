package dev.sluice.connector.mariadb;

import dev.sluice.config.document.Fields;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.SourceConfig;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceFactory;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.mariadb.capture.BinlogPosition;
import dev.sluice.connector.mariadb.capture.StartGtids;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What MariaDB and MySQL as types of source have in common. Threadsafe. */
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
    Matcher parts = POSITION.matcher(position);
    return parts.matches() && Long.parseLong(parts.group(2)) <= 0xFFFF_FFFFL
        ? Optional.empty()
        : Optional.of(
            new WrongPosition(
                "a file of the binary log and an offset, such as %s-bin.000042:4711"
                    .formatted(flavour.type()),
                "Write both as %s has them, with a colon between".formatted(flavour.logStatus())));
  }

  @Override
  public final Optional<WrongPosition> problemOfStart(String position) {
    return StartGtids.parse(flavour, position).isPresent()
        ? Optional.empty()
        : problemOf(position)
            .map(
                wrong ->
                    new WrongPosition(
                        wrong.expected() + ", or " + StartGtids.form(flavour), wrong.fix()));
  }

  @Override
  public final Position position(String text) {
    if (!POSITION.matcher(text).matches()) {
      throw new IllegalStateException("BUG: a position that was not checked: " + text);
    }
    return BinlogPosition.ofTaskFile(text);
  }

  /** The mark of the transaction that ends there is not known. */
  @Override
  public final Position stopPosition(String text) {
    return BinlogPosition.of(position(text)).highest();
  }

  @Override
  public final Source create(String task, SourceConfig config, Supplier<TaskMark> mark) {
    return new MariadbSource(task, (MariadbConfig) config);
  }
}
