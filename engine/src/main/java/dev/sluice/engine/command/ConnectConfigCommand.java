package dev.sluice.engine.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.config.TaskConfig;
import dev.sluice.connector.postgres.PostgresSource;
import dev.sluice.engine.connect.ConnectLayout;
import dev.sluice.engine.connect.ConnectorPair;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "connect-config",
    description =
        "Prints what a Kafka Connect cluster needs to run the task: the configuration of Debezium's"
            + " source connector and of Sluice's sink connector, as JSON. Reads the source's"
            + " catalog for the keys of its tables; changes nothing, and shows no password.",
    mixinStandardHelpOptions = true)
final class ConnectConfigCommand implements Callable<Integer> {
  @Mixin private TaskFileArgument file;

  @Option(
      names = "--layout",
      defaultValue = "ordered",
      description =
          "Which topics lie between them: ${COMPLETION-CANDIDATES}. The last one keeps the order of"
              + " each row's changes, but no transactions. Default: ${DEFAULT-VALUE}.")
  private ConnectLayout layout;

  @Override
  public Integer call() throws JsonProcessingException {
    TaskConfig config = file.read();
    PostgresSource source = new PostgresSource(config.task().text(), config.source());
    ConnectorPair pair =
        ConnectorPair.of(config, layout, source.catalog(config.tableMappings()::selects).tables());
    Map<String, Object> printed = new LinkedHashMap<>();
    pair.topic().ifPresent(topic -> printed.put("topic", topic));
    printed.put("source", pair.source());
    printed.put("sink", pair.sink());
    System.out.println(
        new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(printed));
    pair.notes().forEach(note -> System.err.println("note: " + note));
    return ExitCode.DONE;
  }
}
