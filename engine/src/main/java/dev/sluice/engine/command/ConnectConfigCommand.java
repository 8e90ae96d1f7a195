package dev.sluice.engine.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.KafkaProperties;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.source.Source;
import dev.sluice.engine.connect.ConnectCluster;
import dev.sluice.engine.connect.ConnectConverter;
import dev.sluice.engine.connect.ConnectLayout;
import dev.sluice.engine.connect.ConnectorPair;
import dev.sluice.engine.context.Sources;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
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
            + " catalog for the keys of its tables; changes nothing, and shows no password. With"
            + " --register it creates topic and connectors instead.",
    mixinStandardHelpOptions = true)
final class ConnectConfigCommand implements Callable<Integer> {
  @Mixin private TaskFileArgument file;

  @Option(
      names = "--layout",
      defaultValue = "ordered",
      description =
          "The topics between the two connectors: ${COMPLETION-CANDIDATES}. The last one keeps the"
              + " order of each row's changes, but no transactions. Default: ${DEFAULT-VALUE}.")
  private ConnectLayout layout;

  @Option(
      names = "--converter",
      defaultValue = "json",
      description =
          "The form of the records in these topics: ${COMPLETION-CANDIDATES}. Default:"
              + " ${DEFAULT-VALUE}, with schemas, which any tool can read. binary is Sluice's own"
              + " form: it is faster, and keeps NaN and infinity.")
  private ConnectConverter converter;

  @Option(
      names = "--register",
      paramLabel = "URL",
      description =
          "Creates the topic and both connectors on a running cluster, through one of its workers,"
              + " such as http://127.0.0.1:8083. The task file must name the cluster's Kafka.")
  private URI worker;

  @Override
  public Integer call() throws JsonProcessingException, InterruptedException {
    TaskConfig config = file.readReplicating();
    if (config.forward().isPresent()) {
      throw new SluiceException.Fatal(
          new Problem(
              "--fallback",
              "the way back needs its daemon, which knows where it begins",
              "the task itself",
              "Leave --fallback out"));
    }
    Source source = Sources.unowned(config);
    ConnectorPair pair =
        ConnectorPair.of(
            config,
            source.connector(),
            layout,
            converter,
            source.catalog(config.tableMappings()::selects).tables());
    if (worker != null) {
      register(config, pair);
    } else {
      print(pair);
      note(pair.firstSteps());
    }
    note(pair.notes());
    return ExitCode.DONE;
  }

  private void register(TaskConfig config, ConnectorPair pair) throws InterruptedException {
    KafkaProperties kafka =
        config
            .kafka()
            .orElseThrow(
                () ->
                    new SluiceException.Fatal(
                        new Problem(
                            "kafka",
                            "is not in the task file",
                            "the Kafka that the Connect cluster uses",
                            "Add kafka: { bootstrap.servers: HOST:PORT }")));
    ConnectCluster cluster = new ConnectCluster(worker);
    if (pair.topic().isPresent()) {
      String topic = pair.topic().get();
      boolean made = ConnectCluster.makeTopic(kafka, topic);
      System.out.println("topic " + topic + (made ? ": created" : ": exists already"));
    }
    for (Map<String, String> connector : List.of(pair.source(), pair.sink())) {
      String name = connector.get("name");
      cluster.register(name, connector);
      System.out.println("connector " + name + ": registered");
    }
  }

  private static void print(ConnectorPair pair) throws JsonProcessingException {
    Map<String, Object> printed = new LinkedHashMap<>();
    pair.topic().ifPresent(topic -> printed.put("topic", topic));
    printed.put("source", pair.source());
    printed.put("sink", pair.sink());
    System.out.println(
        new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(printed));
  }

  private static void note(List<String> notes) {
    notes.forEach(note -> System.err.println("note: " + note));
  }
}
