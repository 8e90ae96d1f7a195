package dev.sluice.connect.input;

import static dev.sluice.connect.input.SourceScript.TRANSACTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.apache.kafka.common.TopicPartition;

/**
 * Whatever transactions there are over tables and partitions, however the partitions are read
 * interleaved, however often the source repeats itself and the task is moved: what comes out is the
 * source's log.
 */
final class JoinedInputPropertiesTest {
  private Random random;
  private final Map<String, Integer> tables = new TreeMap<>();

  /** By transaction, from 1: its events as they come out, and where each is written. */
  private final List<List<Event>> log = new ArrayList<>();

  private record Event(String table, int partition, String shown) {}

  @Property(tries = 400, shrinking = ShrinkingMode.OFF)
  void whatComesOutIsTheSourcesLog(@ForAll long seed) throws IOException {
    random = new Random(seed);
    tables.clear();
    log.clear();
    for (int i = 0; i <= random.nextInt(3); i++) {
      tables.put("t" + i, 1 + random.nextInt(3));
    }
    plan();
    SourceScript source = written();
    Path directory = Files.createTempDirectory("sluice-join");
    long memory = random.nextBoolean() ? 1_000_000 : 1_500;
    try (JoinedReader reader = new JoinedReader(source, directory, memory).with(topic -> 3)) {
      read(source, reader);
      assertThat(reader.applied()).isEqualTo(wanted());
    } finally {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path path : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  private void plan() {
    int number = 0;
    for (int i = 0; i <= random.nextInt(14); i++) {
      List<Event> events = new ArrayList<>();
      int size = random.nextInt(8);
      for (int j = 0; j < size; j++) {
        if (random.nextInt(6) == 0) {
          events.add(new Event("elsewhere", 0, ""));
        } else {
          String table = "t" + random.nextInt(tables.size());
          events.add(new Event(table, random.nextInt(tables.get(table)), "+" + number++));
        }
      }
      log.add(events);
    }
  }

  private List<String> wanted() {
    return log.stream()
        .map(
            events ->
                String.join(
                    " ", events.stream().map(Event::shown).filter(s -> !s.isEmpty()).toList()))
        .toList();
  }

  /** The log as a source writes it that breaks off now and then and begins again earlier. */
  private SourceScript written() {
    SourceScript source = new SourceScript(tables);
    int next = 0;
    int stops = random.nextInt(4);
    while (next < log.size()) {
      boolean breaksOff = stops > 0 && random.nextInt(5) == 0;
      List<Event> events = log.get(next);
      int written = breaksOff ? random.nextInt(events.size() + 1) : events.size();
      source.begin(next + 1);
      for (Event event : events.subList(0, written)) {
        if (event.table().equals("elsewhere")) {
          source.elsewhere("elsewhere");
        } else {
          source.insert(event.table(), event.partition(), event.shown().substring(1));
        }
      }
      if (breaksOff) {
        stops--;
        next = random.nextInt(next + 1);
        source.after(next * 100L);
      } else {
        next++;
        source.end(next * 100L);
      }
    }
    return source;
  }

  private void read(SourceScript source, JoinedReader reader) {
    List<TopicPartition> partitions = new ArrayList<>(source.logs().keySet());
    int durable = 0;
    int restarts = random.nextInt(5);
    while (true) {
      if (restarts > 0 && random.nextInt(15) == 0) {
        restarts--;
        durable += random.nextInt(reader.applied().size() - durable + 1);
        reader.restart(durable);
      }
      List<TopicPartition> wanted =
          partitions.stream()
              .filter(reader::hasMore)
              .filter(partition -> !reader.unwanted().contains(partition))
              .toList();
      assertThat(reader.unwanted()).doesNotContain(TRANSACTIONS);
      if (wanted.isEmpty()) {
        return;
      }
      reader.read(wanted.get(random.nextInt(wanted.size())), 1 + random.nextInt(6));
    }
  }
}
