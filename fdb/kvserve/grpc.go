package kvserve

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
)

// The service has one method, a stream of requests and a stream of replies. A stream, not a call for each request, keeps
// many requests under way at the price of one, as the plain transport does.
const (
	serviceName = "phaselock.kvserve"
	methodName  = "/" + serviceName + "/Exchange"
)

var exchange = grpc.StreamDesc{StreamName: "Exchange", ServerStreams: true, ClientStreams: true}

// window is how much of a stream is under way before the other side must have read some. gRPC starts at 64 kB, less than
// one page of a range holds.
const window = 4 << 20

// codec gives gRPC the messages as package wire has encoded them.
type codec struct{}

func (codec) Name() string { return "phaselock-wire" }

func (codec) Marshal(v any) (mem.BufferSlice, error) {
	message, ok := v.(*[]byte)
	if !ok {
		return nil, fmt.Errorf("kvserve: %T is not a message of bytes", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(*message)}, nil
}

func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	message, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("kvserve: %T is not a message of bytes", v)
	}
	*message = data.Materialize()
	return nil
}

// messages is what a stream of gRPC has on both of its sides.
type messages interface {
	SendMsg(m any) error
	RecvMsg(m any) error
}

// stream is the transport over gRPC.
type stream struct {
	messages
	once sync.Once
	end  func()
}

func (s *stream) send(messages [][]byte) error {
	for i := range messages {
		if err := s.SendMsg(&messages[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) receive() ([]byte, error) {
	var message []byte
	err := s.RecvMsg(&message)
	if status.Code(err) == codes.ResourceExhausted { // larger than the limit
		err = brokenError{err}
	}
	return message, err
}

func (s *stream) close() { s.once.Do(s.end) }

func dialGRPC(ctx context.Context, address string) (pipe, error) {
	conn, err := grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy(),
		grpc.WithInitialWindowSize(window), grpc.WithInitialConnWindowSize(window),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(codec{}), grpc.MaxCallRecvMsgSize(maxReply), grpc.MaxCallSendMsgSize(maxRequest)))
	if err != nil {
		return nil, err
	}
	alive, cancel := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, cancel) // ctx bounds the dialling, not the stream
	s, err := conn.NewStream(alive, &exchange, methodName)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		cancel()
		return nil, errors.Join(errors.New(status.Convert(err).Message()), conn.Close())
	}
	return &stream{messages: s, end: func() {
		cancel()
		conn.Close()
	}}, nil
}

// newGRPCServer makes a server whose streams are handed to serve, which returns when the stream may end.
func newGRPCServer(serve func(pipe)) *grpc.Server {
	s := grpc.NewServer(grpc.ForceServerCodecV2(codec{}), grpc.MaxRecvMsgSize(maxRequest), grpc.MaxSendMsgSize(maxReply),
		grpc.InitialWindowSize(window), grpc.InitialConnWindowSize(window), grpc.MaxConcurrentStreams(1))
	desc := exchange
	desc.Handler = func(_ any, ss grpc.ServerStream) error {
		ended := make(chan struct{})
		p := &stream{messages: ss, end: func() { close(ended) }}
		served := make(chan struct{})
		go func() {
			defer close(served)
			serve(p)
		}()
		select { // a stream of a server ends by its handler's return
		case <-ended:
		case <-served:
		}
		return nil
	}
	s.RegisterService(&grpc.ServiceDesc{ServiceName: serviceName, HandlerType: (*any)(nil), Streams: []grpc.StreamDesc{desc}}, struct{}{})
	return s
}
