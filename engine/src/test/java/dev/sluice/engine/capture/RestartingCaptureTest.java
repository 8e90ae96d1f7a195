package dev.sluice.engine.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.sink.control.schema.Checkpoint.SourceServer;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RestartingCaptureTest {

  @Test
  void aSourceThatWasFailedOverMeanwhileLeavesTheDecisionToTheStartOfTheTask() {
    SourceIdentity now = new SourceIdentity("4711", 2);
    assertThat(RestartingCapture.moved(Optional.of(new SourceServer("4711", 1)), now))
        .get()
        .isInstanceOf(SluiceException.Retryable.class);
    assertThat(RestartingCapture.moved(Optional.of(new SourceServer("0815", 2)), now)).isPresent();
    assertThat(RestartingCapture.moved(Optional.of(new SourceServer("4711", 2)), now)).isEmpty();
    assertThat(RestartingCapture.moved(Optional.empty(), now)).isEmpty();
  }
}
